DROP FUNCTION leaf_delete_account();
DROP TABLE user_settings;
CREATE OR REPLACE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamptz, last_seen_at timestamptz,
    name text, email text, picture_url text, workspace_name text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.id, s.user_id, w.workspace_id, s.expires_at, s.last_seen_at, u.name, u.email, u.picture_url, w.name
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    CROSS JOIN LATERAL (
        SELECT m.workspace_id, k.name FROM workspace_members m JOIN workspaces k ON k.id = m.workspace_id
        WHERE m.user_id = s.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE s.token_hash = leaf_session_user.token_hash AND s.expires_at > now()
$$;
ALTER TABLE users DROP COLUMN display_name;
