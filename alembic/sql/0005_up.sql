-- What people upload into a chat: the bytes as they came, and the text of formats that are read and never edited.
CREATE TABLE chat_file_originals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    user_id uuid REFERENCES users (id) ON DELETE SET NULL,
    kind text NOT NULL,
    size_bytes integer NOT NULL CONSTRAINT chat_file_originals_size_check CHECK (size_bytes = octet_length(data)),
    sha256 bytea NOT NULL,
    data bytea NOT NULL,
    content text,
    content_bytes integer NOT NULL DEFAULT 0,
    places jsonb NOT NULL DEFAULT '[]',
    notes jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now()
);
-- Nearly all of it is compressed already.
ALTER TABLE chat_file_originals ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX chat_file_originals_chat_session_id_idx ON chat_file_originals (chat_session_id);
CREATE INDEX chat_file_originals_user_id_idx ON chat_file_originals (user_id);

ALTER TABLE chat_file_versions ADD COLUMN original_id uuid REFERENCES chat_file_originals (id) ON DELETE CASCADE;
CREATE INDEX chat_file_versions_original_id_idx ON chat_file_versions (original_id);

GRANT SELECT, INSERT, DELETE ON chat_file_originals TO leaf_app;

ALTER TABLE chat_file_originals ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_originals_select ON chat_file_originals FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_insert ON chat_file_originals FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_delete ON chat_file_originals FOR DELETE TO leaf_app
    USING (leaf_is_participant(chat_session_id));

-- A version's original lies in the same chat as the version.
DROP POLICY chat_file_versions_insert ON chat_file_versions;
CREATE POLICY chat_file_versions_insert ON chat_file_versions FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id)
    AND EXISTS (
        SELECT FROM chat_files f WHERE f.id = file_id AND f.chat_session_id = chat_file_versions.chat_session_id
    )
    AND (original_id IS NULL OR EXISTS (
        SELECT FROM chat_file_originals o
        WHERE o.id = original_id AND o.chat_session_id = chat_file_versions.chat_session_id
    ))
);
