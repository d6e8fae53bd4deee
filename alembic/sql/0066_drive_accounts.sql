-- The administration page names the accounts whose Drives fail, with the particulars that their members read, and an
-- operator may name a member by the connected Google account as well.

DROP FUNCTION leaf_admin_drives();

CREATE FUNCTION leaf_admin_drives()
    RETURNS TABLE(cause text, members bigint, link text, accounts text[], particulars jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT i.diagnosis->>'cause', count(DISTINCT i.user_id), max(i.diagnosis->'particulars'->>'link'),
        (array_agg(DISTINCT coalesce(i.provider_account_email, u.email)::text))[1:5],
        (array_agg(i.diagnosis->'particulars' ORDER BY i.diagnosis->>'at' DESC))[1]
    FROM integrations i JOIN users u ON u.id = i.user_id
    WHERE i.diagnosis IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_drives() TO leaf_app;

CREATE OR REPLACE FUNCTION leaf_doctor_member(address text) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, w.id FROM users u JOIN workspaces w ON w.personal_user_id = u.id
    LEFT JOIN integrations i ON i.user_id = u.id AND lower(i.provider_account_email) = lower(address)
    WHERE (lower(u.email) = lower(address) OR i.id IS NOT NULL) AND leaf_user_id() IS NULL
    ORDER BY lower(u.email) = lower(address) DESC
    LIMIT 1
$$;
