-- When the run that writes an answer began: an answer that is written again, or goes on, is older than its run, and would
-- count as lost at once.
ALTER TABLE messages ADD COLUMN run_at timestamptz NOT NULL DEFAULT now();
UPDATE messages SET run_at = created_at WHERE status IN ('pending', 'streaming');

CREATE FUNCTION leaf_run_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    NEW.run_at := now();
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_run_begins() FROM PUBLIC;
CREATE TRIGGER messages_run_begins BEFORE UPDATE OF workflow_run_id ON messages
FOR EACH ROW WHEN (OLD.workflow_run_id IS DISTINCT FROM NEW.workflow_run_id)
EXECUTE FUNCTION leaf_run_begins();

DROP INDEX messages_unfinished_idx;
CREATE INDEX messages_unfinished_idx ON messages (run_at) WHERE status IN ('pending', 'streaming');

CREATE OR REPLACE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.run_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.run_at
$$;
