-- Computed figures are followed as quotes are (decision 0085): a row for each file that a figure was computed from. They are
-- due in a column of their own, because the version before looks for the words of everything that is due in `due_at`.
ALTER TABLE citations ADD COLUMN call text NOT NULL DEFAULT '', ADD COLUMN compute_at timestamptz;
ALTER TABLE citations DROP CONSTRAINT citations_pkey, ADD CONSTRAINT citations_pkey PRIMARY KEY (message_id, n, file_id);
CREATE INDEX citations_compute_idx ON citations (compute_at) WHERE compute_at IS NOT NULL;
GRANT UPDATE (compute_at) ON citations TO leaf_app;

CREATE FUNCTION leaf_followed_figures(parts jsonb)
    RETURNS TABLE(n integer, file_id text, revision text, call text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT ON (1, 2) (one ->> 'n')::integer, file #>> '{}', coalesce(jsonb_path_query_first(
        parts, '$[*] ? (@.toolCallId == $call).output.tables[*] ? (@.file_id == $file).revision',
        jsonb_build_object('call', one -> 'call', 'file', file)
    ) #>> '{}', ''), one ->> 'call'
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "computed" && @.verified == true)') one
    CROSS JOIN LATERAL jsonb_path_query(one, '$.files[*]') file
    WHERE one ->> 'n' ~ '^\d{1,6}$' AND one ->> 'call' <> '' AND file #>> '{}' <> ''
$$;
REVOKE ALL ON FUNCTION leaf_followed_figures(parts jsonb) FROM PUBLIC;

CREATE OR REPLACE FUNCTION leaf_follow_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM citations c WHERE c.message_id = NEW.id;
    END IF;
    IF NEW.user_id IS NOT NULL AND NEW.status IN ('completed', 'stopped', 'error')
        AND NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = NEW.user_id) THEN
        INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, due_at)
        SELECT NEW.id, q.n, NEW.chat_session_id, NEW.user_id, q.file_id, q.revision, NEW.created_at,
            CASE WHEN s.revision <> q.revision THEN now() END
        FROM leaf_followed_quotes(NEW.parts) q
        LEFT JOIN drive_sight s ON s.user_id = NEW.user_id AND s.file_id = q.file_id
        ON CONFLICT DO NOTHING;
        INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, call, compute_at)
        SELECT NEW.id, f.n, NEW.chat_session_id, NEW.user_id, f.file_id, f.revision, NEW.created_at, f.call,
            CASE WHEN s.revision <> f.revision THEN now() END
        FROM leaf_followed_figures(NEW.parts) f
        LEFT JOIN drive_sight s ON s.user_id = NEW.user_id AND s.file_id = f.file_id
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION leaf_doubt_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
            FROM before o
            WHERE c.user_id = o.user_id AND c.file_id = o.file_id AND c.state NOT IN ('hidden')
                AND c.quoted_at > now() - interval '90 days'
                AND EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = o.user_id);
    ELSE
        UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
            FROM after n
            WHERE c.user_id = n.user_id AND c.file_id = n.file_id AND c.quoted_at > now() - interval '90 days'
                AND CASE WHEN n.can_download THEN c.revision <> n.revision ELSE c.state <> 'hidden' END;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION leaf_due_quotes(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT c.user_id, f.workspace_id
    FROM (
        SELECT * FROM citations WHERE due_at <= now() UNION ALL SELECT * FROM citations WHERE compute_at <= now()
    ) c
    JOIN drive_feeds f ON f.user_id = c.user_id AND f.drive_id = ''
    JOIN integrations i ON i.user_id = c.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    JOIN chat_participants p ON p.chat_session_id = c.chat_session_id AND p.user_id = c.user_id
    JOIN chat_sessions s ON s.id = c.chat_session_id AND s.deleted_at IS NULL
    LEFT JOIN drive_sight d ON d.user_id = c.user_id AND d.file_id = c.file_id
    WHERE d.file_id IS NULL OR NOT d.can_download OR d.wanted_at IS NULL OR EXISTS (
        SELECT FROM drive_texts t WHERE t.file_id = d.file_id AND t.revision = d.revision AND t.state = 'read'
    )
    LIMIT most
$$;

INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, call, compute_at)
SELECT m.id, f.n, m.chat_session_id, m.user_id, f.file_id, f.revision, m.created_at, f.call,
    CASE WHEN s.revision <> f.revision THEN now() END
FROM messages m CROSS JOIN LATERAL leaf_followed_figures(leaf_parts(m)) f
LEFT JOIN drive_sight s ON s.user_id = m.user_id AND s.file_id = f.file_id
WHERE m.role = 'assistant' AND m.status IN ('completed', 'stopped', 'error') AND m.user_id IS NOT NULL
    AND m.created_at > now() - interval '90 days' AND NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = m.user_id)
ON CONFLICT DO NOTHING;
