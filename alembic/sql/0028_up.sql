-- Tools that run at the caller of an answer: what was declared, who has which call in hand, and until when it waits.
ALTER TABLE messages
    ADD COLUMN client_tools jsonb CONSTRAINT messages_client_tools_check
        CHECK (client_tools IS NULL OR jsonb_typeof(client_tools) = 'object'),
    ADD COLUMN client_calls jsonb CONSTRAINT messages_client_calls_check
        CHECK (client_calls IS NULL OR jsonb_typeof(client_calls) = 'object'),
    ADD COLUMN client_due_at timestamptz;
GRANT UPDATE (client_tools, client_calls, client_due_at) ON messages TO leaf_app;
CREATE INDEX messages_client_due_at_idx ON messages (client_due_at) WHERE client_due_at IS NOT NULL;

-- A worker ends those whose time is up: it learns of them, and acts as their askers.
CREATE FUNCTION leaf_overdue_client_calls(most integer) RETURNS TABLE (message_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.id, m.user_id
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.client_due_at <= now() AND m.status = 'waiting' AND m.user_id IS NOT NULL AND c.deleted_at IS NULL
    ORDER BY m.client_due_at LIMIT leaf_overdue_client_calls.most
$$;
REVOKE ALL ON FUNCTION leaf_overdue_client_calls(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_overdue_client_calls(integer) TO leaf_app;

-- What the planner of such runs uses.
ALTER TABLE usage_entries DROP CONSTRAINT usage_entries_purpose_check;
ALTER TABLE usage_entries ADD CONSTRAINT usage_entries_purpose_check
    CHECK (purpose IN ('answer', 'title', 'related', 'summary', 'plan'));
