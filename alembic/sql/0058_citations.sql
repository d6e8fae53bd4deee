-- Checked quotes of files are followed (decision 0085). The quote itself stays in its answer; a row says which revision
-- of the file it was last looked for in, and whether it stands there.
CREATE TABLE citations (
    message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    n integer NOT NULL,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    file_id text NOT NULL,
    revision text NOT NULL,
    state text NOT NULL DEFAULT 'stands'
        CONSTRAINT citations_state_check CHECK (state IN ('stands', 'changed', 'gone', 'hidden')),
    quoted_at timestamptz NOT NULL,
    changed_at timestamptz,
    due_at timestamptz,
    CONSTRAINT citations_pkey PRIMARY KEY (message_id, n)
);
CREATE INDEX citations_user_id_file_id_idx ON citations (user_id, file_id);
CREATE INDEX citations_chat_session_id_idx ON citations (chat_session_id);
CREATE INDEX citations_due_idx ON citations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX citations_changed_idx ON citations (user_id, chat_session_id) WHERE state <> 'stands';

-- Rows are made by the trigger of their answer alone.
GRANT SELECT, UPDATE (revision, state, changed_at, due_at) ON citations TO leaf_app;
ALTER TABLE citations ENABLE ROW LEVEL SECURITY;
CREATE POLICY citations_select ON citations FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY citations_update ON citations FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id))
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));

CREATE FUNCTION leaf_followed_quotes(parts jsonb) RETURNS TABLE(n integer, file_id text, revision text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT (one ->> 'n')::integer, one ->> 'file_id', coalesce(one ->> 'revision', '')
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "drive" && @.verified == true)') one
    WHERE one ->> 'n' ~ '^\d{1,6}$' AND one ->> 'file_id' <> ''
$$;
REVOKE ALL ON FUNCTION leaf_followed_quotes(parts jsonb) FROM PUBLIC;

-- A file that the feed has seen in another revision since it was read is looked into at once.
CREATE FUNCTION leaf_follow_quotes() RETURNS trigger
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
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_follow_quotes() FROM PUBLIC;
CREATE TRIGGER messages_follow_quotes AFTER INSERT OR UPDATE OF parts ON messages FOR EACH ROW
    WHEN (NEW.role = 'assistant' AND NOT NEW.cold) EXECUTE FUNCTION leaf_follow_quotes();

-- Quotes of files that have changed, or that have gone out of sight, are due. Who disconnects sees no file any more,
-- and nothing is said of files then.
CREATE FUNCTION leaf_doubt_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE citations c SET due_at = now() FROM before o
            WHERE c.user_id = o.user_id AND c.file_id = o.file_id AND c.state NOT IN ('hidden')
                AND c.quoted_at > now() - interval '90 days'
                AND EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = o.user_id);
    ELSE
        UPDATE citations c SET due_at = now() FROM after n
            WHERE c.user_id = n.user_id AND c.file_id = n.file_id AND c.quoted_at > now() - interval '90 days'
                AND CASE WHEN n.can_download THEN c.revision <> n.revision ELSE c.state <> 'hidden' END;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_quotes() FROM PUBLIC;
CREATE TRIGGER drive_sight_deleted_quotes AFTER DELETE ON drive_sight
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();
CREATE TRIGGER drive_sight_inserted_quotes AFTER INSERT ON drive_sight
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();
CREATE TRIGGER drive_sight_updated_quotes AFTER UPDATE ON drive_sight
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();

-- A list of chats shows the new state.
CREATE FUNCTION leaf_quotes_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE chat_participants p SET changed_at = now()
        WHERE p.chat_session_id = NEW.chat_session_id AND p.user_id = NEW.user_id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_quotes_changed() FROM PUBLIC;
CREATE TRIGGER citations_changed AFTER UPDATE OF state ON citations FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION leaf_quotes_changed();

-- Members with quotes that can be looked for now: their file was read in its present revision, or is out of sight.
CREATE FUNCTION leaf_due_quotes(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT c.user_id, f.workspace_id
    FROM citations c
    JOIN drive_feeds f ON f.user_id = c.user_id AND f.drive_id = ''
    JOIN integrations i ON i.user_id = c.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    JOIN chat_participants p ON p.chat_session_id = c.chat_session_id AND p.user_id = c.user_id
    JOIN chat_sessions s ON s.id = c.chat_session_id AND s.deleted_at IS NULL
    LEFT JOIN drive_sight d ON d.user_id = c.user_id AND d.file_id = c.file_id
    WHERE c.due_at <= now() AND (d.file_id IS NULL OR NOT d.can_download OR d.wanted_at IS NULL OR EXISTS (
        SELECT FROM drive_texts t WHERE t.file_id = d.file_id AND t.revision = d.revision AND t.state = 'read'
    ))
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_quotes(most integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_due_quotes(most integer) TO leaf_app;

-- The quotes behind a link that do not stand in their sources any more: by the time of their answer, and their number.
CREATE FUNCTION leaf_shared_moved(token text) RETURNS TABLE(at timestamptz, n integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.created_at, q.n
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    JOIN messages m ON m.id = ANY (s.message_ids) AND m.chat_session_id = s.chat_session_id
    JOIN citations q ON q.message_id = m.id AND q.state IN ('changed', 'gone')
    WHERE s.token = leaf_shared_moved.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_shared_moved(token text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_shared_moved(token text) TO leaf_app;

INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, due_at)
SELECT m.id, q.n, m.chat_session_id, m.user_id, q.file_id, q.revision, m.created_at,
    CASE WHEN s.revision <> q.revision THEN now() END
FROM messages m CROSS JOIN LATERAL leaf_followed_quotes(leaf_parts(m)) q
LEFT JOIN drive_sight s ON s.user_id = m.user_id AND s.file_id = q.file_id
WHERE m.role = 'assistant' AND m.status IN ('completed', 'stopped', 'error') AND m.user_id IS NOT NULL
    AND m.created_at > now() - interval '90 days' AND NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = m.user_id)
ON CONFLICT DO NOTHING;
