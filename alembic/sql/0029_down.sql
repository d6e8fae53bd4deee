DROP TABLE provider_logs;
DROP FUNCTION leaf_may_log(uuid, uuid, uuid, uuid), leaf_expire_provider_logs();
ALTER TABLE agents DROP COLUMN provider_logs;

DROP POLICY tenant_members_update ON tenant_members;
ALTER TABLE tenant_members DROP COLUMN alerts_seen_at;
DROP FUNCTION leaf_note_budgets(bigint, numeric);
DROP TABLE budget_alerts;

DROP FUNCTION leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer);
CREATE FUNCTION leaf_tenant_chats(
    agent uuid, first_day timestamptz, last_day timestamptz, wanted text, sentiment text, phrase text,
    before_at timestamptz, before_id uuid, most integer
) RETURNS TABLE (
    chat_id uuid, title text, kind text, subject text, context jsonb, started_at timestamptz, active_at timestamptz,
    archived boolean, running boolean, failed boolean, messages bigint, thumbs_up bigint, thumbs_down bigint,
    tokens numeric, cost_usd numeric
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL, c.running, said.failed, said.messages,
        thumbs.up, thumbs.down, used.tokens, used.usd
    FROM agents a
    JOIN widget_chats w ON w.tenant_id = a.tenant_id AND w.agent_id = a.id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages, coalesce(bool_or(m.status = 'error'), false) AS failed
        FROM messages m WHERE m.chat_session_id = c.id
    ) said
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE f.sentiment = 'up') AS up, count(*) FILTER (WHERE f.sentiment = 'down') AS down
        FROM feedback f JOIN messages m ON m.id = f.message_id WHERE m.chat_session_id = c.id
    ) thumbs
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0) AS tokens, coalesce(sum(u.cost_usd), 0) AS usd
        FROM usage_entries u WHERE u.chat_session_id = c.id
    ) used
    WHERE a.id = leaf_tenant_chats.agent AND leaf_is_member(a.tenant_id) AND c.deleted_at IS NULL AND c.begun
        AND (first_day IS NULL OR p.active_at >= first_day) AND (last_day IS NULL OR p.active_at < last_day)
        AND (before_at IS NULL OR (p.active_at, c.id) < (before_at, before_id))
        AND CASE wanted
            WHEN 'active' THEN p.archived_at IS NULL WHEN 'archived' THEN p.archived_at IS NOT NULL
            WHEN 'running' THEN c.running WHEN 'failed' THEN said.failed ELSE true END
        AND CASE leaf_tenant_chats.sentiment
            WHEN 'up' THEN thumbs.up > 0 WHEN 'down' THEN thumbs.down > 0 ELSE true END
        AND (phrase = '' OR strpos(lower(coalesce(c.title, '')), lower(phrase)) > 0 OR EXISTS (
            SELECT FROM messages m WHERE m.chat_session_id = c.id
            AND strpos(lower(leaf_message_text(m.parts)), lower(phrase)) > 0
        ))
    ORDER BY p.active_at DESC, c.id DESC LIMIT least(most, 1000)
$$;
REVOKE ALL ON FUNCTION
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer)
TO leaf_app;

CREATE OR REPLACE FUNCTION leaf_keep_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    written text := leaf_message_text(NEW.parts);
BEGIN
    IF written IS NULL THEN
        IF TG_OP = 'UPDATE' THEN
            DELETE FROM search_words w WHERE w.id = NEW.id;
        END IF;
        RETURN NULL;
    END IF;
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    SELECT NEW.id, c.id, NEW.id, NEW.position, leaf_marked_words(written, '@m', c.id, c.created_by)
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION leaf_keep_title_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    VALUES (NEW.id, NEW.id, NULL, 0, leaf_marked_words(coalesce(NEW.title, ''), '@t', NEW.id, NEW.created_by))
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION leaf_chat_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_participants p SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE p.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;

UPDATE search_words s SET words = ts_delete(s.words, '@a' || w.agent_id::text)
    FROM widget_chats w WHERE w.chat_session_id = s.chat_session_id;
DROP TRIGGER widget_chats_marks ON widget_chats;
DROP FUNCTION leaf_widget_chat_marks(), leaf_agent_mark(uuid);
DROP INDEX messages_failed_chat_idx;
ALTER TABLE widget_chats DROP COLUMN active_at, DROP COLUMN listed;

DROP FUNCTION leaf_tenant_messages(uuid);
DROP FUNCTION leaf_tenant_usage(uuid, date);
CREATE FUNCTION leaf_tenant_messages(chat uuid) RETURNS TABLE (
    id uuid, parent_id uuid, role message_role, parts jsonb, status message_status, run_id uuid, model text,
    error_code text, error_text text, input_tokens integer, output_tokens integer, cost_usd numeric,
    duration_ms integer, sentiment text, comment text, created_at timestamptz, updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.id, m.parent_id, m.role, m.parts, m.status, m.workflow_run_id, m.model, m.error_code, m.error_text,
        m.input_tokens, m.output_tokens, m.cost_usd, m.duration_ms, f.sentiment, f.comment, m.created_at, m.updated_at
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    LEFT JOIN feedback f ON f.message_id = m.id AND f.run_id = m.workflow_run_id
    WHERE w.chat_session_id = leaf_tenant_messages.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
    ORDER BY m.position
$$;

CREATE FUNCTION leaf_tenant_usage(agent uuid, since date) RETURNS TABLE (
    day date, answers bigint, failed bigint, visitors bigint, tokens numeric, cost_usd numeric, median_ms double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.day, count(*) FILTER (WHERE u.purpose = 'answer'), count(*) FILTER (WHERE m.status = 'error'),
        count(DISTINCT u.user_id), sum(u.input_tokens + u.output_tokens), coalesce(sum(u.cost_usd), 0),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY u.duration_ms) FILTER (WHERE u.purpose = 'answer')
    FROM agents a
    JOIN visitors v ON v.tenant_id = a.tenant_id AND v.agent_id = a.id
    JOIN usage_entries u ON u.user_id = v.user_id
    LEFT JOIN messages m ON m.id = u.message_id AND u.purpose = 'answer'
    WHERE a.id = leaf_tenant_usage.agent AND leaf_is_member(a.tenant_id) AND u.day >= leaf_tenant_usage.since
    GROUP BY u.day ORDER BY u.day
$$;

REVOKE ALL ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_usage(uuid, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_usage(uuid, date) TO leaf_app;

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
    DELETE FROM users u USING visitors v WHERE v.user_id = u.id AND v.last_seen_at < now() - interval '62 days'
        AND NOT EXISTS (SELECT FROM chat_sessions c WHERE c.created_by = u.id);
    RETURN hidden;
END
$$;

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
        NEW.workflow_run_id, 'answer', NEW.user_id, leaf_workspace_in(c.id), c.id, NEW.id, coalesce(NEW.model, ''),
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

ALTER TABLE usage_entries DROP COLUMN first_text_ms, DROP COLUMN failed;
ALTER TABLE messages DROP COLUMN first_text_ms;

DROP FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid);
