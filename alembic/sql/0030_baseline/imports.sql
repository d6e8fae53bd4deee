-- Imports of chats from files.

-- The file stays in its row until its chats are stored, so that any worker can go on with it. `done` counts the chats
-- of the file that are finished, and changes in the transaction that stores the chat.
CREATE TABLE imports (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name text NOT NULL,
    size_bytes bigint NOT NULL,
    data bytea,
    status text NOT NULL DEFAULT 'waiting'
        CONSTRAINT imports_status_check CHECK (status IN ('waiting', 'running', 'done', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    total integer,
    done integer NOT NULL DEFAULT 0,
    imported integer NOT NULL DEFAULT 0,
    known integer NOT NULL DEFAULT 0,
    refused integer NOT NULL DEFAULT 0,
    left_out integer NOT NULL DEFAULT 0,
    problems jsonb NOT NULL DEFAULT '[]'::jsonb
        CONSTRAINT imports_problems_check CHECK (jsonb_typeof(problems) = 'array'),
    failure text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT imports_data_check CHECK ((data IS NOT NULL) = (status IN ('waiting', 'running')))
);
CREATE INDEX imports_user_id_created_at_idx ON imports (user_id, created_at DESC);
CREATE INDEX imports_workspace_id_idx ON imports (workspace_id);
-- Each person has one unfinished import at most.
CREATE UNIQUE INDEX imports_unfinished_idx ON imports (user_id) WHERE status IN ('waiting', 'running');

GRANT SELECT, INSERT, DELETE, UPDATE (
    data, status, attempts, total, done, imported, known, refused, left_out, problems, failure, updated_at
) ON imports TO leaf_app;
ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
CREATE POLICY imports_select ON imports FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY imports_insert ON imports FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY imports_update ON imports FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY imports_delete ON imports FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- A chat that is restored, or passes to another person, may meet a second import of itself. Both stay, and one of them
-- is no longer recognised as imported.
CREATE FUNCTION leaf_forget_imported_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NEW.created_by <> OLD.created_by OR EXISTS (
        SELECT FROM chat_sessions c
        WHERE c.created_by = NEW.created_by AND c.imported_key = NEW.imported_key AND c.deleted_at IS NULL
            AND c.id <> NEW.id
    ) THEN
        NEW.imported_key := NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chat_sessions_imported_key BEFORE UPDATE OF deleted_at, created_by ON chat_sessions
FOR EACH ROW WHEN (OLD.imported_key IS NOT NULL AND NEW.deleted_at IS NULL) EXECUTE FUNCTION leaf_forget_imported_key();

-- The person of an import: the worker that goes on with it acts for them.
CREATE FUNCTION leaf_import_owner(import uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT i.user_id FROM imports i WHERE i.id = leaf_import_owner.import
$$;

-- Unfinished imports without progress for this time.
CREATE FUNCTION leaf_unfinished_imports(older_than interval) RETURNS TABLE (import_id uuid, attempts integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT i.id, i.attempts FROM imports i
    WHERE i.status IN ('waiting', 'running') AND i.updated_at <= now() - leaf_unfinished_imports.older_than
    ORDER BY i.created_at
$$;

GRANT EXECUTE ON FUNCTION leaf_import_owner(uuid), leaf_unfinished_imports(interval) TO leaf_app;
