CREATE OR REPLACE FUNCTION leaf_answer_usage() RETURNS trigger
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

DROP FUNCTION leaf_more(numeric, numeric, boolean);

-- A value of an enum cannot be taken away: what waits is ended, and the value stays without use.
UPDATE messages SET status = 'stopped' WHERE status::text = 'waiting';
ALTER TABLE messages DROP COLUMN answers;
