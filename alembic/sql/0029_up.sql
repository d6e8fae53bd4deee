-- A visitor's chat, for the members of the tenant whose agent answers in it.
CREATE FUNCTION leaf_tenant_chat(chat uuid) RETURNS TABLE (
    agent_id uuid, title text, kind text, subject text, context jsonb, started_at timestamptz, active_at timestamptz,
    archived boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT w.agent_id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    WHERE w.chat_session_id = leaf_tenant_chat.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;

-- How a run stands that writes in such a chat.
CREATE FUNCTION leaf_tenant_run(run uuid) RETURNS message_status
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.status
    FROM messages m
    JOIN widget_chats w ON w.chat_session_id = m.chat_session_id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    WHERE m.workflow_run_id = leaf_tenant_run.run AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;

REVOKE ALL ON FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid) TO leaf_app;

-- How long a reader waited for the first word, and whether an answer failed: kept with what it used, which outlives it.
ALTER TABLE messages ADD COLUMN first_text_ms integer;
GRANT UPDATE (first_text_ms) ON messages TO leaf_app;
ALTER TABLE usage_entries ADD COLUMN first_text_ms integer, ADD COLUMN failed boolean NOT NULL DEFAULT false;
UPDATE usage_entries u SET failed = true FROM messages m
    WHERE m.id = u.message_id AND u.purpose = 'answer' AND m.status = 'error';

CREATE OR REPLACE FUNCTION leaf_answer_usage() RETURNS trigger
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

-- The same columns as before, and how long the first word took.
DROP FUNCTION leaf_tenant_messages(uuid);
CREATE FUNCTION leaf_tenant_messages(chat uuid) RETURNS TABLE (
    id uuid, parent_id uuid, role message_role, parts jsonb, status message_status, run_id uuid, model text,
    error_code text, error_text text, input_tokens integer, output_tokens integer, cost_usd numeric,
    duration_ms integer, first_text_ms integer, sentiment text, comment text, created_at timestamptz,
    updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.id, m.parent_id, m.role, m.parts, m.status, m.workflow_run_id, m.model, m.error_code, m.error_text,
        m.input_tokens, m.output_tokens, m.cost_usd, m.duration_ms, m.first_text_ms, f.sentiment, f.comment,
        m.created_at, m.updated_at
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    LEFT JOIN feedback f ON f.message_id = m.id AND f.run_id = m.workflow_run_id
    WHERE w.chat_session_id = leaf_tenant_messages.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
    ORDER BY m.position
$$;

-- The days of an agent, from the ledger alone: a chat that is gone still counts. A tenant's use is found by its
-- workspace, however many visitors it has.
DROP FUNCTION leaf_tenant_usage(uuid, date);
CREATE FUNCTION leaf_tenant_usage(agent uuid, since date) RETURNS TABLE (
    day date, answers bigint, failed bigint, visitors bigint, tokens numeric, cost_usd numeric,
    median_ms double precision, first_ms double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.day, count(*) FILTER (WHERE u.purpose = 'answer'), count(*) FILTER (WHERE u.failed),
        count(DISTINCT u.user_id), sum(u.input_tokens + u.output_tokens), coalesce(sum(u.cost_usd), 0),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY u.duration_ms) FILTER (WHERE u.purpose = 'answer'),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY u.first_text_ms) FILTER (WHERE u.purpose = 'answer')
    FROM agents a
    JOIN tenants t ON t.id = a.tenant_id
    JOIN usage_entries u ON u.workspace_id = t.workspace_id AND u.day >= leaf_tenant_usage.since
    JOIN visitors v ON v.user_id = u.user_id AND v.agent_id = a.id
    WHERE a.id = leaf_tenant_usage.agent AND leaf_is_member(a.tenant_id)
    GROUP BY u.day ORDER BY u.day
$$;

-- A visitor without chats is kept as long as their days are shown: 90, and some to spare.
CREATE OR REPLACE FUNCTION leaf_expire_widget_chats() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    hidden bigint;
BEGIN
    UPDATE chat_sessions c SET deleted_at = now(), deleted_by = NULL
        FROM widget_chats w JOIN agents a ON a.id = w.agent_id
        WHERE w.chat_session_id = c.id AND c.deleted_at IS NULL AND NOT c.running AND a.retention_days IS NOT NULL
        AND c.updated_at < now() - make_interval(days => a.retention_days);
    GET DIAGNOSTICS hidden = ROW_COUNT;
    DELETE FROM users u USING visitors v WHERE v.user_id = u.id AND v.last_seen_at < now() - interval '95 days'
        AND NOT EXISTS (SELECT FROM chat_sessions c WHERE c.created_by = u.id);
    RETURN hidden;
END
$$;

REVOKE ALL ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_usage(uuid, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_usage(uuid, date) TO leaf_app;
