-- The drive doctor (decision 0084). `diagnosis` takes the place of `status_key`, which the version before still reads.
ALTER TABLE integrations
    ADD COLUMN diagnosis jsonb CONSTRAINT integrations_diagnosis_check
        CHECK (jsonb_typeof(diagnosis) = 'object' AND octet_length(diagnosis::text) <= 8192),
    ADD COLUMN granted_at timestamptz,
    ADD COLUMN grant_expires_at timestamptz;
GRANT UPDATE (diagnosis, granted_at, grant_expires_at) ON integrations TO leaf_app;

UPDATE integrations SET diagnosis = jsonb_build_object(
    'cause', CASE status_key WHEN 'refusals.connection_unreadable' THEN 'unreadable' ELSE 'revoked' END,
    'particulars', '{}'::jsonb, 'at', to_jsonb(updated_at)
) WHERE status <> 'active';
UPDATE integrations i SET granted_at = (
    SELECT max(e.created_at) FROM security_events e WHERE e.user_id = i.user_id AND e.kind = 'drive_connected'
);

-- Counts the other members whose grants were refused within some minutes as they would be after a removal. With `many`
-- of them, the stored causes become that of one event for all.
CREATE FUNCTION leaf_grants_refused(minutes double precision, many integer, reason text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    since timestamptz := now() - make_interval(secs => least(minutes, 1440) * 60);
    others integer;
BEGIN
    SELECT count(DISTINCT i.user_id) INTO others FROM integrations i
    WHERE i.user_id <> leaf_user_id() AND i.status = 'revoked' AND i.updated_at >= since
        AND i.diagnosis->>'cause' IN ('revoked', 'revoked_for_many') AND (i.diagnosis->>'at')::timestamptz >= since;
    IF others + 1 >= greatest(many, 2) THEN
        UPDATE integrations i
        SET diagnosis = jsonb_set(i.diagnosis, '{cause}', '"revoked_for_many"'), status_reason = reason
        WHERE i.status = 'revoked' AND i.updated_at >= since AND i.diagnosis->>'cause' = 'revoked'
            AND (i.diagnosis->>'at')::timestamptz >= since;
    END IF;
    RETURN others;
END
$$;
REVOKE ALL ON FUNCTION leaf_grants_refused(double precision, integer, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_grants_refused(double precision, integer, text) TO leaf_app;

-- The causes that are noted at connections, for administrators; without members.
CREATE FUNCTION leaf_admin_drives() RETURNS TABLE(cause text, members bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT i.diagnosis->>'cause', count(DISTINCT i.user_id) FROM integrations i
    WHERE i.diagnosis IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_admin_drives() TO leaf_app;

-- The member whose connection an operator checks from the command line.
CREATE FUNCTION leaf_doctor_member(address text) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, w.id FROM users u JOIN workspaces w ON w.personal_user_id = u.id
    WHERE lower(u.email) = lower(address) AND leaf_user_id() IS NULL
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION leaf_doctor_member(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_doctor_member(text) TO leaf_app;
