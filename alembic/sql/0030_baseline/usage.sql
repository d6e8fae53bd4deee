-- Usage: the ledger of requests to models.

-- One row for each run and purpose, kept for good: it outlives its chat and its message.
CREATE TABLE usage_entries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    run_id uuid NOT NULL,
    purpose text NOT NULL CONSTRAINT usage_entries_purpose_check
        CHECK (purpose IN ('answer', 'title', 'related', 'summary', 'plan')),
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
    first_text_ms integer,
    failed boolean NOT NULL DEFAULT false,
    UNIQUE (run_id, purpose, user_id),
    CONSTRAINT usage_entries_amounts_check CHECK (
        least(
            requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd
        ) >= 0
    )
);
CREATE INDEX usage_entries_user_id_day_idx ON usage_entries (user_id, day);
CREATE INDEX usage_entries_workspace_id_idx ON usage_entries (workspace_id);
-- Each question of a site visitor sums up the month of the site.
CREATE INDEX usage_entries_workspace_id_day_idx ON usage_entries (workspace_id, day);
CREATE INDEX usage_entries_chat_session_id_idx ON usage_entries (chat_session_id);
CREATE INDEX usage_entries_message_id_idx ON usage_entries (message_id);

-- Nobody changes or deletes an entry; only foreign keys do, with the rights of the table's owner.
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

-- The workspace to which the person's usage in a chat counts: the chat's workspace if the person belongs to it,
-- otherwise their own, where their integrations are.
CREATE FUNCTION leaf_workspace_in(chat uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT w.workspace_id FROM workspace_members w
    WHERE w.user_id = leaf_user_id()
    ORDER BY w.workspace_id IN (SELECT c.workspace_id FROM chat_sessions c WHERE c.id = chat) DESC, w.created_at
    LIMIT 1
$$;

-- The growth of a sum since the last entry.
CREATE FUNCTION leaf_more(now numeric, earlier numeric, went_on boolean) RETURNS numeric
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT greatest(0, coalesce(now, 0) - CASE WHEN went_on THEN coalesce(earlier, 0) ELSE 0 END) $$;

-- Enters the usage of an answer in the statement that ends it: a turn costs three writes. An answer that went on after
-- waiting holds the sums of all its runs, so only the growth since the earlier entry is entered.
CREATE FUNCTION leaf_answer_usage() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    went_on boolean := OLD.answers IS NOT NULL;
BEGIN
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms, first_text_ms,
        failed
    )
    SELECT
        NEW.workflow_run_id, 'answer', NEW.user_id, leaf_workspace_in(c.id), c.id, NEW.id, coalesce(NEW.model, ''),
        leaf_more(NEW.requests, OLD.requests, went_on), leaf_more(NEW.input_tokens, OLD.input_tokens, went_on),
        leaf_more(NEW.output_tokens, OLD.output_tokens, went_on),
        leaf_more(NEW.cache_read_tokens, OLD.cache_read_tokens, went_on),
        leaf_more(NEW.cache_write_tokens, OLD.cache_write_tokens, went_on),
        leaf_more(NEW.thinking_tokens, OLD.thinking_tokens, went_on),
        CASE WHEN NEW.cost_usd IS NOT NULL THEN leaf_more(NEW.cost_usd, OLD.cost_usd, went_on) END, NEW.duration_ms,
        NEW.first_text_ms, NEW.status = 'error'
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_answer_usage AFTER UPDATE OF status ON messages
FOR EACH ROW WHEN (
    NEW.role = 'assistant' AND NEW.user_id IS NOT NULL
    AND OLD.status IN ('pending', 'streaming') AND NEW.status NOT IN ('pending', 'streaming')
)
EXECUTE FUNCTION leaf_answer_usage();

GRANT EXECUTE ON FUNCTION leaf_workspace_in(uuid), leaf_more(numeric, numeric, boolean) TO leaf_app;
