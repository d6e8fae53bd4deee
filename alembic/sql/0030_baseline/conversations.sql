-- Conversations of sites: what a site's members see of its visitors' chats.
--
-- Members reach these chats through functions and not through policies: no query on a member's own chats ever meets
-- the chat of a visitor.

-- A page of an agent's conversations, newest first, before (before_at, before_id). `wanted` is active, archived,
-- running, failed or anything else for all; `sentiment` is up, down or anything else for all.
--
-- The function first finds the chats along the list's index, and then reads the columns of these few. A frequent word
-- is found at once in recent chats, where the index of words would read all of its occurrences; the index is used for
-- rarer words.
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
    -- A condition that most chats meet is checked chat by chat; rare ones are looked up first.
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
        -- IS TRUE keeps the planner from searching the index of all words once for each chat.
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

-- One conversation.
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

-- The messages of a conversation, with the visitor's feedback.
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

-- The status of a run in a conversation.
CREATE FUNCTION leaf_tenant_run(run uuid) RETURNS message_status
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.status
    FROM messages m
    JOIN widget_chats w ON w.chat_session_id = m.chat_session_id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    WHERE m.workflow_run_id = leaf_tenant_run.run AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;

-- The days of an agent, from the usage ledger alone: chats that were removed still count. Entries are found by the
-- site's workspace, however many visitors there are.
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

GRANT EXECUTE ON FUNCTION
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer),
    leaf_tenant_chat(uuid),
    leaf_tenant_messages(uuid),
    leaf_tenant_run(uuid),
    leaf_tenant_usage(uuid, date)
TO leaf_app;


-- Budget alerts: 80 or 100 percent of a budget are used, of a site's month or of an agent's messages in a day. Each
-- alert is entered once for each period.
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

GRANT SELECT ON budget_alerts TO leaf_app;
ALTER TABLE budget_alerts ENABLE ROW LEVEL SECURITY;
CREATE POLICY budget_alerts_select ON budget_alerts FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));

-- Enters the new alerts of the visitor's site after an answer; returns the members to notify, if there are any alerts.
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

GRANT EXECUTE ON FUNCTION leaf_note_budgets(bigint, numeric) TO leaf_app;


-- Requests to models and their responses, word for word, for agents whose members have switched this on.
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

-- Whether the visitor's worker may log a message: one in a chat of the visitor's own agent, while logs are switched on.
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

-- Members see the logs of conversations that they can see. Expired logs are hidden even before they are removed.
GRANT SELECT, INSERT ON provider_logs TO leaf_app;
ALTER TABLE provider_logs ENABLE ROW LEVEL SECURITY;
CREATE POLICY provider_logs_select ON provider_logs FOR SELECT TO leaf_app
    USING (expires_at > now() AND EXISTS (SELECT FROM leaf_tenant_chat(chat_session_id)));
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

GRANT EXECUTE ON FUNCTION leaf_may_log(uuid, uuid, uuid, uuid), leaf_expire_provider_logs() TO leaf_app;
