-- Files: texts of Drive files that were read, and the files of chats.

-- The text of a Drive file at one revision, as a person has read it.
CREATE TABLE documents (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider integration_provider NOT NULL,
    file_id text NOT NULL,
    revision text NOT NULL,
    name text NOT NULL,
    mime_type text NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, provider, file_id, revision)
);

GRANT SELECT, INSERT, DELETE ON documents TO leaf_app;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY documents_select ON documents FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY documents_insert ON documents FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY documents_delete ON documents FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- The text files of a chat. A path has one row, and each change adds a version: nothing is overwritten.
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

-- Uploaded files: the original bytes, and the text of formats that can be read but not edited.
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
-- Most uploads are compressed already.
ALTER TABLE chat_file_originals ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX chat_file_originals_chat_session_id_idx ON chat_file_originals (chat_session_id);
CREATE INDEX chat_file_originals_user_id_idx ON chat_file_originals (user_id);

-- (run_id, call_id) makes a change by a tool happen once, even when a dying worker leaves the call to another one.
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
    original_id uuid REFERENCES chat_file_originals (id) ON DELETE CASCADE,
    UNIQUE (file_id, number),
    UNIQUE (run_id, call_id)
);
CREATE INDEX chat_file_versions_chat_session_id_idx ON chat_file_versions (chat_session_id);
CREATE INDEX chat_file_versions_user_id_idx ON chat_file_versions (user_id);
CREATE INDEX chat_file_versions_original_id_idx ON chat_file_versions (original_id);

GRANT SELECT, INSERT, UPDATE (version, size_bytes, deleted, updated_at) ON chat_files TO leaf_app;
ALTER TABLE chat_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_files_select ON chat_files FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_insert ON chat_files FOR INSERT TO leaf_app
    WITH CHECK (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_update ON chat_files FOR UPDATE TO leaf_app
    USING (leaf_is_participant(chat_session_id)) WITH CHECK (leaf_is_participant(chat_session_id));

GRANT SELECT, INSERT, DELETE ON chat_file_originals TO leaf_app;
ALTER TABLE chat_file_originals ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_originals_select ON chat_file_originals FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_insert ON chat_file_originals FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_delete ON chat_file_originals FOR DELETE TO leaf_app
    USING (leaf_is_participant(chat_session_id));

-- A version, its file and its original belong to the same chat; both are looked up under their own policies.
GRANT SELECT, INSERT, DELETE ON chat_file_versions TO leaf_app;
ALTER TABLE chat_file_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_versions_select ON chat_file_versions FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
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
CREATE POLICY chat_file_versions_delete ON chat_file_versions FOR DELETE TO leaf_app
    USING (leaf_is_participant(chat_session_id));

-- A chat begins with its first file, too.
CREATE FUNCTION leaf_chat_file_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_sessions c SET begun = true WHERE c.id = NEW.chat_session_id AND NOT c.begun;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_files_chat_marks AFTER INSERT ON chat_files
FOR EACH ROW EXECUTE FUNCTION leaf_chat_file_marks();
