-- What an answer used beyond what is there already, and what it may use at most of its asker's budgets.
ALTER TABLE messages
    ADD COLUMN thinking_tokens integer,
    ADD COLUMN requests integer,
    ADD COLUMN duration_ms integer,
    ADD COLUMN reserved_tokens bigint,
    ADD COLUMN reserved_usd numeric;
GRANT UPDATE (thinking_tokens, requests, duration_ms, reserved_tokens, reserved_usd) ON messages TO leaf_app;

-- What was used, for good: one row for each run and purpose, which outlives its chat and its message.
CREATE TABLE usage_entries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    run_id uuid NOT NULL,
    purpose text NOT NULL CONSTRAINT usage_entries_purpose_check
        CHECK (purpose IN ('answer', 'title', 'related', 'summary')),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace_id uuid REFERENCES workspaces (id) ON DELETE SET NULL,
    chat_session_id uuid REFERENCES chat_sessions (id) ON DELETE SET NULL,
    message_id uuid REFERENCES messages (id) ON DELETE SET NULL,
    day date NOT NULL DEFAULT ((now() AT TIME ZONE 'UTC')::date),
    model text NOT NULL,
    requests integer NOT NULL DEFAULT 0,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    cache_read_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    thinking_tokens bigint NOT NULL DEFAULT 0,
    cost_usd numeric,
    duration_ms integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (run_id, purpose, user_id),
    CONSTRAINT usage_entries_amounts_check CHECK (
        least(
            requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd
        ) >= 0
    )
);
CREATE INDEX usage_entries_user_id_day_idx ON usage_entries (user_id, day);
CREATE INDEX usage_entries_workspace_id_idx ON usage_entries (workspace_id);
CREATE INDEX usage_entries_chat_session_id_idx ON usage_entries (chat_session_id);
CREATE INDEX usage_entries_message_id_idx ON usage_entries (message_id);

-- Answers from before.
INSERT INTO usage_entries (
    run_id, purpose, user_id, workspace_id, chat_session_id, message_id, day, model, input_tokens, output_tokens,
    cache_read_tokens, cache_write_tokens, cost_usd, created_at
)
SELECT
    m.workflow_run_id, 'answer', m.user_id, c.workspace_id, c.id, m.id, (m.updated_at AT TIME ZONE 'UTC')::date,
    coalesce(m.model, ''), coalesce(m.input_tokens, 0), coalesce(m.output_tokens, 0),
    coalesce(m.cache_read_tokens, 0), coalesce(m.cache_write_tokens, 0), m.cost_usd, m.updated_at
FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
WHERE m.role = 'assistant' AND m.user_id IS NOT NULL AND m.status NOT IN ('pending', 'streaming');

-- Nobody changes or deletes what was used. Foreign keys do, with the rights of the table's owner.
GRANT SELECT, INSERT ON usage_entries TO leaf_app;

ALTER TABLE usage_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY usage_entries_select ON usage_entries FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY usage_entries_insert ON usage_entries FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id())
    AND (
        workspace_id IS NULL
        OR workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
    )
    AND (chat_session_id IS NULL OR leaf_is_participant(chat_session_id))
    AND (
        message_id IS NULL
        OR EXISTS (
            SELECT FROM messages m WHERE m.id = message_id AND m.chat_session_id = usage_entries.chat_session_id
        )
    )
);

-- Whatever ends an answer enters what it used, in the same statement: a turn costs three writes.
CREATE FUNCTION leaf_answer_usage() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms
    )
    SELECT
        NEW.workflow_run_id, 'answer', NEW.user_id, c.workspace_id, c.id, NEW.id, coalesce(NEW.model, ''),
        coalesce(NEW.requests, 0), coalesce(NEW.input_tokens, 0), coalesce(NEW.output_tokens, 0),
        coalesce(NEW.cache_read_tokens, 0), coalesce(NEW.cache_write_tokens, 0), coalesce(NEW.thinking_tokens, 0),
        NEW.cost_usd, NEW.duration_ms
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION leaf_answer_usage() FROM PUBLIC;

CREATE TRIGGER messages_answer_usage AFTER UPDATE OF status ON messages
FOR EACH ROW WHEN (
    NEW.role = 'assistant' AND NEW.user_id IS NOT NULL
    AND OLD.status IN ('pending', 'streaming') AND NEW.status NOT IN ('pending', 'streaming')
)
EXECUTE FUNCTION leaf_answer_usage();
