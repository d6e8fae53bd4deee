-- The text files of a chat. A path has one row, and each change of it one more version: nothing is overwritten.
CREATE TABLE chat_files (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    path varchar(255) NOT NULL,
    version integer NOT NULL,
    size_bytes integer NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (chat_session_id, path)
);

CREATE TABLE chat_file_versions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    file_id uuid NOT NULL REFERENCES chat_files (id) ON DELETE CASCADE,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    number integer NOT NULL,
    action text NOT NULL CONSTRAINT chat_file_versions_action_check
        CHECK (action IN ('write', 'edit', 'delete', 'restore', 'upload')),
    content text NOT NULL,
    user_id uuid REFERENCES users (id) ON DELETE SET NULL,
    run_id uuid,
    call_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (file_id, number),
    UNIQUE (run_id, call_id)
);
CREATE INDEX chat_file_versions_chat_session_id_idx ON chat_file_versions (chat_session_id);
CREATE INDEX chat_file_versions_user_id_idx ON chat_file_versions (user_id);

GRANT SELECT, INSERT, UPDATE (version, size_bytes, deleted, updated_at) ON chat_files TO leaf_app;
GRANT SELECT, INSERT, DELETE ON chat_file_versions TO leaf_app;

ALTER TABLE chat_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_files_select ON chat_files FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_insert ON chat_files FOR INSERT TO leaf_app
    WITH CHECK (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_update ON chat_files FOR UPDATE TO leaf_app
    USING (leaf_is_participant(chat_session_id)) WITH CHECK (leaf_is_participant(chat_session_id));

-- A version lies in the chat of its file: the file is looked up under its own policy.
ALTER TABLE chat_file_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_versions_select ON chat_file_versions FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_versions_insert ON chat_file_versions FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id)
    AND EXISTS (
        SELECT FROM chat_files f WHERE f.id = file_id AND f.chat_session_id = chat_file_versions.chat_session_id
    )
);
CREATE POLICY chat_file_versions_delete ON chat_file_versions FOR DELETE TO leaf_app
    USING (leaf_is_participant(chat_session_id));
