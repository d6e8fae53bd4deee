-- What a person is called here; their name is the identity provider's, and follows it at each sign-in.
ALTER TABLE users ADD COLUMN display_name varchar(80)
    CONSTRAINT users_display_name_check CHECK (display_name ~ '\S');
GRANT UPDATE (display_name) ON users TO leaf_app;

CREATE OR REPLACE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamptz, last_seen_at timestamptz,
    name text, email text, picture_url text, workspace_name text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.id, s.user_id, w.workspace_id, s.expires_at, s.last_seen_at, coalesce(u.display_name, u.name), u.email,
        u.picture_url, w.name
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    CROSS JOIN LATERAL (
        SELECT m.workspace_id, k.name FROM workspace_members m JOIN workspaces k ON k.id = m.workspace_id
        WHERE m.user_id = s.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE s.token_hash = leaf_session_user.token_hash AND s.expires_at > now()
$$;

-- How somebody wants to be answered; a row is there once something was chosen.
CREATE TABLE user_settings (
    user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    search_mode text,
    model_type text,
    instructions text NOT NULL DEFAULT ''
        CONSTRAINT user_settings_instructions_check CHECK (char_length(instructions) <= 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT, INSERT, UPDATE (search_mode, model_type, instructions, updated_at) ON user_settings TO leaf_app;

ALTER TABLE user_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_settings_select ON user_settings FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY user_settings_insert ON user_settings FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY user_settings_update ON user_settings FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));

-- Deletes whoever asks, with all that is theirs; returns the runs whose streams are to be deleted. A chat in which others
-- take part goes on without them: it belongs to whoever joined first of those who stay, and messages lose their name.
CREATE FUNCTION leaf_delete_account() RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    person uuid := leaf_user_id();
BEGIN
    -- First the chats, as whoever ends an answer does, and then the person: what others write at this moment in the
    -- person's name is written before, and deleted, or is refused by its foreign key.
    PERFORM FROM chat_sessions c
        WHERE c.created_by = person
            OR c.id IN (SELECT p.chat_session_id FROM chat_participants p WHERE p.user_id = person)
        ORDER BY c.id FOR UPDATE;
    PERFORM FROM users u WHERE u.id = person FOR UPDATE;
    RETURN QUERY SELECT m.workflow_run_id FROM messages m
        WHERE m.workflow_run_id IS NOT NULL AND (m.user_id = person OR m.chat_session_id IN (
            SELECT c.id FROM chat_sessions c WHERE c.created_by = person AND NOT EXISTS (
                SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id <> person
            )
        ));
    UPDATE chat_sessions c SET created_by = heir.user_id, workspace_id = heir.workspace_id
        FROM (
            SELECT DISTINCT ON (p.chat_session_id) p.chat_session_id, p.user_id, k.id AS workspace_id
            FROM chat_participants p JOIN workspaces k ON k.personal_user_id = p.user_id
            WHERE p.user_id <> person
            ORDER BY p.chat_session_id, p.joined_at, p.user_id
        ) heir
        WHERE heir.chat_session_id = c.id AND (
            c.created_by = person OR c.workspace_id IN (SELECT k.id FROM workspaces k WHERE k.personal_user_id = person)
        );
    DELETE FROM chat_sessions c
        WHERE c.created_by = person OR (
            EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id = person)
            AND NOT EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id <> person)
        );
    -- Nobody could end them any more, or answer what they ask.
    UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.user_id = person AND m.role = 'assistant' AND m.status IN ('pending', 'streaming', 'waiting');
    UPDATE messages m SET updated_at = now() WHERE m.user_id = person;
    DELETE FROM users u WHERE u.id = person;
END
$$;

REVOKE ALL ON FUNCTION leaf_delete_account() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_delete_account() TO leaf_app;
