-- Feedback, and the functions of administrators.

-- Feedback on an answer or on Leaf itself. Everybody may write it, signed in or not. People read their own;
-- administrators read all of it through leaf_admin_feedback.
CREATE TABLE feedback (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid REFERENCES users (id) ON DELETE CASCADE,
    message_id uuid REFERENCES messages (id) ON DELETE CASCADE,
    run_id uuid,
    sentiment text CONSTRAINT feedback_sentiment_check CHECK (sentiment IN ('up', 'down')),
    comment text NOT NULL DEFAULT '' CONSTRAINT feedback_comment_check CHECK (char_length(comment) <= 2000),
    page text NOT NULL DEFAULT '' CONSTRAINT feedback_page_check CHECK (char_length(page) <= 200),
    user_agent text NOT NULL DEFAULT '' CONSTRAINT feedback_user_agent_check CHECK (char_length(user_agent) <= 300),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, run_id),
    CONSTRAINT feedback_said_check CHECK (sentiment IS NOT NULL OR comment <> ''),
    CONSTRAINT feedback_answer_check CHECK (
        (message_id IS NULL) = (run_id IS NULL)
        AND (message_id IS NULL OR (user_id IS NOT NULL AND sentiment IS NOT NULL))
    )
);
CREATE INDEX feedback_message_id_idx ON feedback (message_id);
CREATE INDEX feedback_created_at_idx ON feedback (created_at);

-- The answer is looked up under its own policy: people can only rate answers that they can read.
GRANT SELECT, INSERT, DELETE, UPDATE (sentiment, comment, page, user_agent, updated_at) ON feedback TO leaf_app;
ALTER TABLE feedback ENABLE ROW LEVEL SECURITY;
CREATE POLICY feedback_select ON feedback FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY feedback_insert ON feedback FOR INSERT TO leaf_app WITH CHECK (
    user_id IS NOT DISTINCT FROM (SELECT leaf_user_id())
    AND (
        message_id IS NULL
        OR EXISTS (
            SELECT FROM messages m
            WHERE m.id = feedback.message_id AND m.workflow_run_id = feedback.run_id AND m.role = 'assistant'
        )
    )
);
CREATE POLICY feedback_update ON feedback FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY feedback_delete ON feedback FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));


-- The following functions are everything that administrators can see. They name their columns, and no column holds a
-- question, an answer, or a text that was read or written in a chat.

-- Raises insufficient_privilege unless the transaction acts for an administrator.
CREATE FUNCTION leaf_require_administrator() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF nullif(current_setting('app.administrator', true), '') IS DISTINCT FROM 'yes' THEN
        RAISE insufficient_privilege USING MESSAGE = 'this is for administrators';
    END IF;
END
$$;

-- Members with their usage since a day; site visitors are left out.
CREATE FUNCTION leaf_admin_users(since date) RETURNS TABLE (
    user_id uuid, name text, email text, created_at timestamptz, last_seen_at timestamptz, chats bigint,
    tokens numeric, cost_usd numeric
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        u.id, coalesce(u.display_name, u.name)::text, u.email, u.created_at,
        (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id),
        (SELECT count(*) FROM chat_participants p WHERE p.user_id = u.id),
        coalesce(used.tokens, 0), coalesce(used.cost_usd, 0)
    FROM users u
    LEFT JOIN (
        SELECT e.user_id AS used_by, sum(e.input_tokens + e.output_tokens) AS tokens, sum(e.cost_usd) AS cost_usd
        FROM usage_entries e WHERE e.day >= leaf_admin_users.since GROUP BY e.user_id
    ) used ON used.used_by = u.id
    WHERE NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = u.id)
    ORDER BY 7 DESC, u.created_at DESC
    LIMIT 1000;
END
$$;

CREATE FUNCTION leaf_admin_usage(since date) RETURNS TABLE (
    day date, people bigint, requests numeric, tokens numeric, cost_usd numeric
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        e.day, count(DISTINCT e.user_id), sum(e.requests)::numeric, sum(e.input_tokens + e.output_tokens),
        coalesce(sum(e.cost_usd), 0)
    FROM usage_entries e WHERE e.day >= leaf_admin_usage.since GROUP BY e.day ORDER BY e.day;
END
$$;

-- Feedback, newest first. `wanted` is all, comment (only with a comment), up or down.
CREATE FUNCTION leaf_admin_feedback(wanted text, most integer) RETURNS TABLE (
    id uuid, created_at timestamptz, sentiment text, comment text, page text, user_agent text, email text, run_id uuid,
    model text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        f.id, f.updated_at, f.sentiment, f.comment, f.page, f.user_agent, u.email, f.run_id, m.model
    FROM feedback f LEFT JOIN users u ON u.id = f.user_id LEFT JOIN messages m ON m.workflow_run_id = f.run_id
    WHERE CASE leaf_admin_feedback.wanted
        WHEN 'all' THEN true
        WHEN 'comment' THEN f.comment <> ''
        ELSE f.sentiment = leaf_admin_feedback.wanted
    END
    ORDER BY f.updated_at DESC LIMIT leaf_admin_feedback.most;
END
$$;

CREATE FUNCTION leaf_admin_failures(most integer) RETURNS TABLE (
    run_id uuid, ended_at timestamptz, error_code text, model text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT m.workflow_run_id, m.updated_at, m.error_code, m.model FROM messages m
    WHERE m.status = 'error' AND m.role = 'assistant' ORDER BY m.updated_at DESC LIMIT leaf_admin_failures.most;
END
$$;

CREATE FUNCTION leaf_admin_health() RETURNS TABLE (
    server_version text, revision text, size_bytes bigint, unfinished bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        current_setting('server_version'), (SELECT string_agg(v.version_num, ', ') FROM alembic_version v),
        pg_database_size(current_database()),
        (SELECT count(*) FROM messages m WHERE m.status IN ('pending', 'streaming'));
END
$$;

CREATE FUNCTION leaf_admin_security_events(most integer) RETURNS TABLE (
    id uuid, created_at timestamptz, kind text, about text, network text, user_agent text, email text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT e.id, e.created_at, e.kind, e.about, e.network::text, e.user_agent, u.email::text
    FROM security_events e LEFT JOIN users u ON u.id = e.user_id
    ORDER BY e.created_at DESC, e.id LIMIT leaf_admin_security_events.most;
END
$$;

GRANT EXECUTE ON FUNCTION
    leaf_require_administrator(),
    leaf_admin_users(date),
    leaf_admin_usage(date),
    leaf_admin_feedback(text, integer),
    leaf_admin_failures(integer),
    leaf_admin_health(),
    leaf_admin_security_events(integer)
TO leaf_app;
