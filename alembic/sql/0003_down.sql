DROP FUNCTION leaf_session_user(text);
CREATE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamptz, last_seen_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.id, s.user_id, w.workspace_id, s.expires_at, s.last_seen_at
    FROM sessions s
    CROSS JOIN LATERAL (
        SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = s.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE s.token_hash = leaf_session_user.token_hash AND s.expires_at > now()
$$;
REVOKE EXECUTE ON FUNCTION leaf_session_user(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_session_user(text) TO leaf_app;

ALTER POLICY chat_participants_select ON chat_participants USING (user_id = (SELECT leaf_user_id()));
