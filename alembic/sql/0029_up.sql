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

-- The list of an agent's conversations is read along an index, a page at a time: when each was active stands beside it.
ALTER TABLE widget_chats ADD COLUMN active_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN listed boolean NOT NULL DEFAULT false;
UPDATE widget_chats w SET active_at = c.updated_at, listed = c.begun AND c.deleted_at IS NULL
    FROM chat_sessions c WHERE c.id = w.chat_session_id;
CREATE INDEX widget_chats_listed_idx ON widget_chats (agent_id, active_at DESC, chat_session_id DESC) WHERE listed;
CREATE INDEX messages_failed_chat_idx ON messages (chat_session_id) WHERE status = 'error';

CREATE FUNCTION leaf_widget_chat_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
        FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
    -- A chat that is not there is refused by the foreign key.
    NEW.active_at := coalesce(NEW.active_at, now());
    NEW.listed := coalesce(NEW.listed, false);
    RETURN NEW;
END
$$;
CREATE TRIGGER widget_chats_marks BEFORE INSERT ON widget_chats FOR EACH ROW EXECUTE FUNCTION leaf_widget_chat_marks();

CREATE OR REPLACE FUNCTION leaf_chat_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_participants p SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE p.chat_session_id = NEW.id;
    UPDATE widget_chats w SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE w.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;

-- The words of visitors' chats have a mark of the agent (@a…) beside that of who began them, so that the index itself
-- leaves out all others.
CREATE FUNCTION leaf_agent_mark(chat uuid) RETURNS tsvector
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce(
        (SELECT array_to_tsvector(ARRAY['@a' || w.agent_id::text]) FROM widget_chats w WHERE w.chat_session_id = chat),
        ''::tsvector
    )
$$;
UPDATE search_words s SET words = s.words || leaf_agent_mark(s.chat_session_id)
    FROM widget_chats w WHERE w.chat_session_id = s.chat_session_id;

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
    SELECT NEW.id, c.id, NEW.id, NEW.position,
        leaf_marked_words(written, '@m', c.id, c.created_by) || leaf_agent_mark(c.id)
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
    VALUES (
        NEW.id, NEW.id, NULL, 0,
        leaf_marked_words(coalesce(NEW.title, ''), '@t', NEW.id, NEW.created_by) || leaf_agent_mark(NEW.id)
    )
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

-- A page of an agent's conversations: first which, along the index, then what is told of these few. A word that stands
-- nearly everywhere is found at once in those of late; the index of words would look at all of it, and is asked for
-- what is rarer.
DROP FUNCTION leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer);
CREATE FUNCTION leaf_tenant_chats(
    agent uuid, first_day timestamptz, last_day timestamptz, wanted text, sentiment text, phrase text,
    before_at timestamptz, before_id uuid, most integer
) RETURNS TABLE (
    chat_id uuid, title text, kind text, subject text, context jsonb, started_at timestamptz, active_at timestamptz,
    archived boolean, running boolean, failed boolean, messages bigint, thumbs_up bigint, thumbs_down bigint,
    tokens numeric, cost_usd numeric
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    query tsquery;
    of_agent text := 'SELECT w.chat_session_id, w.active_at FROM widget_chats w';
    found uuid[];
    recent uuid[];
BEGIN
    IF NOT EXISTS (SELECT FROM agents a WHERE a.id = leaf_tenant_chats.agent AND leaf_is_member(a.tenant_id)) THEN
        RETURN;
    END IF;
    most := least(most, 1000);
    -- What is wanted of most chats is asked of one after the other; what is rare is found first.
    of_agent := of_agent || CASE wanted
        WHEN 'active' THEN ' WHERE (SELECT p.archived_at IS NULL FROM chat_participants p '
            'WHERE p.chat_session_id = w.chat_session_id LIMIT 1)'
        WHEN 'archived' THEN ' JOIN chat_participants p ON p.chat_session_id = w.chat_session_id '
            'WHERE p.archived_at IS NOT NULL'
        WHEN 'running' THEN ' JOIN chat_sessions c ON c.id = w.chat_session_id WHERE c.running'
        WHEN 'failed' THEN ' WHERE w.chat_session_id IN (SELECT m.chat_session_id FROM messages m '
            'WHERE m.status = ''error'')'
        ELSE ' WHERE true' END || ' AND w.agent_id = $1 AND w.listed';
    IF leaf_tenant_chats.sentiment IN ('up', 'down') THEN
        of_agent := of_agent || ' AND w.chat_session_id IN (SELECT m.chat_session_id FROM feedback f '
            'JOIN messages m ON m.id = f.message_id WHERE f.sentiment = $6)';
    END IF;
    IF first_day IS NOT NULL THEN of_agent := of_agent || ' AND w.active_at >= $2'; END IF;
    IF last_day IS NOT NULL THEN of_agent := of_agent || ' AND w.active_at < $3'; END IF;
    IF before_at IS NOT NULL THEN of_agent := of_agent || ' AND (w.active_at, w.chat_session_id) < ($4, $5)'; END IF;
    IF phrase = '' THEN
        EXECUTE 'SELECT array_agg(n.chat_session_id) FROM (' || of_agent
            || ' ORDER BY w.active_at DESC, w.chat_session_id DESC LIMIT $7) n'
            INTO found USING agent, first_day, last_day, before_at, before_id, sentiment, most;
    ELSE
        query := leaf_search_query(ARRAY[phrase], true);
        IF query IS NULL THEN
            RETURN;
        END IF;
        EXECUTE 'SELECT array_agg(n.chat_session_id) FROM (' || of_agent
            || ' ORDER BY w.active_at DESC, w.chat_session_id DESC LIMIT 120) n'
            INTO recent USING agent, first_day, last_day, before_at, before_id, sentiment;
        -- IS TRUE keeps the planner from asking the index of all words once for each chat.
        SELECT array_agg(n.id) INTO found FROM (
            SELECT r.id FROM unnest(recent) WITH ORDINALITY r (id, place)
            WHERE EXISTS (
                SELECT FROM search_words o WHERE o.chat_session_id = r.id AND (o.words @@ query) IS TRUE
            )
            ORDER BY r.place LIMIT most
        ) n;
        IF coalesce(cardinality(found), 0) < most AND coalesce(cardinality(recent), 0) = 120 THEN
            EXECUTE 'WITH hit AS MATERIALIZED (SELECT DISTINCT o.chat_session_id FROM search_words o '
                'WHERE o.words @@ $8) SELECT array_agg(n.chat_session_id) FROM (SELECT l.chat_session_id FROM ('
                || of_agent || ') l JOIN hit ON hit.chat_session_id = l.chat_session_id '
                'ORDER BY l.active_at DESC, l.chat_session_id DESC LIMIT $7) n'
                INTO found USING agent, first_day, last_day, before_at, before_id, sentiment, most,
                    query && quote_literal('@a' || agent)::tsquery;
        END IF;
    END IF;
    RETURN QUERY
        SELECT c.id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
            w.context, w.created_at, w.active_at, p.archived_at IS NOT NULL, c.running, said.failed, said.messages,
            thumbs.up, thumbs.down, used.tokens, used.usd
        FROM unnest(found) WITH ORDINALITY n (id, place)
        JOIN widget_chats w ON w.chat_session_id = n.id
        JOIN chat_sessions c ON c.id = n.id
        JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
        JOIN visitors v ON v.user_id = c.created_by
        CROSS JOIN LATERAL (
            SELECT count(*) AS messages, coalesce(bool_or(m.status = 'error'), false) AS failed
            FROM messages m WHERE m.chat_session_id = c.id
        ) said
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE f.sentiment = 'up') AS up,
                count(*) FILTER (WHERE f.sentiment = 'down') AS down
            FROM feedback f JOIN messages m ON m.id = f.message_id WHERE m.chat_session_id = c.id
        ) thumbs
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0) AS tokens, coalesce(sum(u.cost_usd), 0) AS usd
            FROM usage_entries u WHERE u.chat_session_id = c.id
        ) used
        ORDER BY n.place;
END
$$;

REVOKE ALL ON FUNCTION
    leaf_widget_chat_marks(), leaf_agent_mark(uuid),
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer)
TO leaf_app;

-- That 80 or 100 percent of a budget are used: of a tenant's month, or of an agent's messages in a day; once for each
-- period. The time until which members have seen these stands in their membership.
CREATE TABLE budget_alerts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    agent_id uuid,
    unit text NOT NULL CONSTRAINT budget_alerts_unit_check CHECK (unit IN ('tokens', 'usd', 'messages')),
    percent integer NOT NULL CONSTRAINT budget_alerts_percent_check CHECK (percent IN (80, 100)),
    period date NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE,
    CONSTRAINT budget_alerts_agent_check CHECK ((agent_id IS NULL) = (unit <> 'messages')),
    UNIQUE NULLS NOT DISTINCT (tenant_id, agent_id, unit, percent, period)
);
ALTER TABLE tenant_members ADD COLUMN alerts_seen_at timestamptz NOT NULL DEFAULT now();

GRANT SELECT ON budget_alerts TO leaf_app;
ALTER TABLE budget_alerts ENABLE ROW LEVEL SECURITY;
CREATE POLICY budget_alerts_select ON budget_alerts FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
GRANT UPDATE (alerts_seen_at) ON tenant_members TO leaf_app;
CREATE POLICY tenant_members_update ON tenant_members FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));

-- Enters what is new for the tenant of the visitor who has been answered; gives the members who are to be told.
CREATE FUNCTION leaf_note_budgets(most_tokens bigint, most_usd numeric) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    tenant uuid;
    today date := (now() AT TIME ZONE 'UTC')::date;
    month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    entered bigint;
BEGIN
    SELECT v.tenant_id INTO tenant FROM visitors v WHERE v.user_id = leaf_user_id();
    IF tenant IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO budget_alerts (tenant_id, agent_id, unit, percent, period)
        SELECT tenant, b.agent, b.unit, p.percent, b.period
        FROM (
            SELECT NULL::uuid, 'tokens', month, least(most_tokens, t.monthly_tokens)::numeric, used.tokens
            FROM tenants t CROSS JOIN LATERAL (
                SELECT sum(u.input_tokens + u.output_tokens) AS tokens FROM usage_entries u
                WHERE u.workspace_id = t.workspace_id AND u.day >= month
            ) used WHERE t.id = tenant
            UNION ALL
            SELECT NULL, 'usd', month, least(most_usd, t.monthly_usd), used.usd
            FROM tenants t CROSS JOIN LATERAL (
                SELECT sum(u.cost_usd) AS usd FROM usage_entries u
                WHERE u.workspace_id = t.workspace_id AND u.day >= month
            ) used WHERE t.id = tenant
            UNION ALL
            SELECT a.id, 'messages', today, a.agent_daily, used.answers
            FROM visitors own JOIN agents a ON a.id = own.agent_id JOIN tenants t ON t.id = a.tenant_id
            CROSS JOIN LATERAL (
                SELECT count(*) AS answers FROM usage_entries u JOIN visitors v ON v.user_id = u.user_id
                WHERE u.workspace_id = t.workspace_id AND u.day = today AND u.purpose = 'answer' AND v.agent_id = a.id
            ) used WHERE own.user_id = leaf_user_id()
        ) b (agent, unit, period, most, used)
        CROSS JOIN (VALUES (80), (100)) p (percent)
        WHERE b.used * 100 >= b.most * p.percent
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS entered = ROW_COUNT;
    IF entered > 0 THEN
        RETURN QUERY SELECT m.user_id FROM tenant_members m WHERE m.tenant_id = tenant;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION leaf_note_budgets(bigint, numeric) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_note_budgets(bigint, numeric) TO leaf_app;

-- What a model was asked and has answered, word for word, where an agent's members have switched that on.
ALTER TABLE agents ADD COLUMN provider_logs boolean NOT NULL DEFAULT false;
GRANT UPDATE (provider_logs) ON agents TO leaf_app;
CREATE TABLE provider_logs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    run_id uuid NOT NULL,
    number integer NOT NULL,
    address text NOT NULL CONSTRAINT provider_logs_address_check CHECK (char_length(address) <= 500),
    status integer,
    latency_ms integer NOT NULL,
    request text NOT NULL CONSTRAINT provider_logs_request_check CHECK (octet_length(request) <= 262144),
    request_bytes bigint NOT NULL,
    response text NOT NULL CONSTRAINT provider_logs_response_check CHECK (octet_length(response) <= 262144),
    response_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX provider_logs_chat_session_id_created_at_idx ON provider_logs (chat_session_id, created_at);
CREATE INDEX provider_logs_message_id_idx ON provider_logs (message_id);
CREATE INDEX provider_logs_tenant_id_agent_id_idx ON provider_logs (tenant_id, agent_id);
CREATE INDEX provider_logs_expires_at_idx ON provider_logs (expires_at);

GRANT SELECT, INSERT ON provider_logs TO leaf_app;
ALTER TABLE provider_logs ENABLE ROW LEVEL SECURITY;
-- Members see those of chats that they see; what has expired is nobody's, although it may be there yet.
CREATE POLICY provider_logs_select ON provider_logs FOR SELECT TO leaf_app
    USING (expires_at > now() AND EXISTS (SELECT FROM leaf_tenant_chat(chat_session_id)));
-- A worker enters them as the visitor who has asked, of that visitor's agent alone, and while it is switched on.
CREATE FUNCTION leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM visitors v JOIN agents a ON a.id = v.agent_id
        JOIN widget_chats w ON w.agent_id = a.id AND w.tenant_id = a.tenant_id
        JOIN messages m ON m.chat_session_id = w.chat_session_id
        WHERE v.user_id = leaf_user_id() AND a.provider_logs AND a.id = agent AND a.tenant_id = tenant
            AND w.chat_session_id = chat AND m.id = message AND leaf_is_participant(chat)
    )
$$;
CREATE POLICY provider_logs_insert ON provider_logs FOR INSERT TO leaf_app
    WITH CHECK (leaf_may_log(tenant_id, agent_id, chat_session_id, message_id));

CREATE FUNCTION leaf_expire_provider_logs() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM provider_logs l WHERE l.expires_at <= now();
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END
$$;
REVOKE ALL ON FUNCTION leaf_may_log(uuid, uuid, uuid, uuid), leaf_expire_provider_logs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_may_log(uuid, uuid, uuid, uuid), leaf_expire_provider_logs() TO leaf_app;
