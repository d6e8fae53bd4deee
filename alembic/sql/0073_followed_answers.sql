-- A quote or figure whose file has a new version that Leaf cannot read is neither still there nor gone: its row says why it
-- could not be looked for, beside the last state that is known. The version before knows states alone, and shows that one.
ALTER TABLE citations ADD COLUMN unchecked jsonb;
CREATE INDEX citations_unchecked_idx ON citations (user_id, chat_session_id) WHERE unchecked IS NOT NULL;
GRANT UPDATE (unchecked) ON citations TO leaf_app;

DROP TRIGGER citations_changed ON citations;
CREATE TRIGGER citations_changed AFTER UPDATE OF state, unchecked ON citations FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.unchecked IS DISTINCT FROM NEW.unchecked)
    EXECUTE FUNCTION leaf_quotes_changed();

-- What could not be looked for is looked for when the text of the present version is there, or cannot be had for another
-- reason. A new version is found by `leaf_doubt_quotes`.
CREATE FUNCTION leaf_recheck_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
        FROM drive_sight s
        WHERE c.file_id = NEW.file_id AND c.unchecked IS NOT NULL AND c.quoted_at > now() - interval '90 days'
            AND s.user_id = c.user_id AND s.file_id = c.file_id AND s.revision = NEW.revision AND s.can_download;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_recheck_quotes() FROM PUBLIC;
CREATE TRIGGER drive_texts_recheck AFTER UPDATE OF state, revision ON drive_texts FOR EACH ROW
    WHEN (NEW.state IN ('read', 'skipped')) EXECUTE FUNCTION leaf_recheck_quotes();

-- Feeds that are due. Those of a member whose answers have followed quotes are read on about as often as if the member were
-- there: the quotes are marked wherever their reader is. The one with four parameters is that of the version before.
CREATE INDEX citations_followed_idx ON citations (user_id, quoted_at);
CREATE FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, most integer)
    RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
        ) AS here, EXISTS (
            SELECT FROM citations c WHERE c.user_id = f.user_id AND c.quoted_at > now() - interval '90 days'
        ) AS cited
    ) p
    WHERE f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, integer) TO leaf_app;

-- As before, and members with quotes whose file cannot be read, or has failed to be read three times.
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
        SELECT FROM drive_texts t WHERE t.file_id = d.file_id AND t.revision = d.revision
            AND (t.state IN ('read', 'skipped') OR t.state = 'failed' AND t.attempts >= 3)
    )
    LIMIT most
$$;
