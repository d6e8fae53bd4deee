CREATE OR REPLACE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.created_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.created_at
$$;

DROP TRIGGER messages_run_begins ON messages;
DROP FUNCTION leaf_run_begins();
DROP INDEX messages_unfinished_idx;
ALTER TABLE messages DROP COLUMN run_at;
CREATE INDEX messages_unfinished_idx ON messages (created_at) WHERE status IN ('pending', 'streaming');
