-- An answer that waits for its reader: a question that the agent has asked, or a call that has to be allowed first.
-- The new value cannot be used in the transaction that adds it; the index of unfinished answers does without it anyway.
ALTER TYPE message_status ADD VALUE IF NOT EXISTS 'waiting';

-- What the reader has answered so far, by tool call id: the run goes on when nothing is open any more.
ALTER TABLE messages ADD COLUMN answers jsonb CONSTRAINT messages_answers_check
    CHECK (answers IS NULL OR jsonb_typeof(answers) = 'object');
GRANT UPDATE (answers) ON messages TO leaf_app;

-- An answer that went on holds the sums of all its runs: what was entered when it began to wait is not entered again.
CREATE OR REPLACE FUNCTION leaf_answer_usage() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    went_on boolean := OLD.answers IS NOT NULL;
BEGIN
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms
    )
    SELECT
        NEW.workflow_run_id, 'answer', NEW.user_id, c.workspace_id, c.id, NEW.id, coalesce(NEW.model, ''),
        leaf_more(NEW.requests, OLD.requests, went_on), leaf_more(NEW.input_tokens, OLD.input_tokens, went_on),
        leaf_more(NEW.output_tokens, OLD.output_tokens, went_on),
        leaf_more(NEW.cache_read_tokens, OLD.cache_read_tokens, went_on),
        leaf_more(NEW.cache_write_tokens, OLD.cache_write_tokens, went_on),
        leaf_more(NEW.thinking_tokens, OLD.thinking_tokens, went_on),
        CASE WHEN NEW.cost_usd IS NOT NULL THEN leaf_more(NEW.cost_usd, OLD.cost_usd, went_on) END, NEW.duration_ms
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING;
    RETURN NULL;
END
$$;

-- How much more a sum has become.
CREATE FUNCTION leaf_more(now numeric, earlier numeric, went_on boolean) RETURNS numeric
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT greatest(0, coalesce(now, 0) - CASE WHEN went_on THEN coalesce(earlier, 0) ELSE 0 END) $$;

REVOKE ALL ON FUNCTION leaf_more(numeric, numeric, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_more(numeric, numeric, boolean) TO leaf_app;
