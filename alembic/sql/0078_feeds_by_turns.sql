-- Feeds that are due, as before, and those alone that are followed, or listed first (`kind`; NULL for all). The one with five
-- parameters is that of the version before.
CREATE FUNCTION leaf_due_drive_feeds(
    present interval, followed interval, absent interval, again interval, kind text, most integer
)
    RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT CASE WHEN f.stage = 'following' AND f.listed_at > now() - again THEN 'followed' ELSE 'listed' END AS kind,
            EXISTS (
                SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
            ) AS here, EXISTS (
                SELECT FROM citations c WHERE c.user_id = f.user_id AND c.quoted_at > now() - interval '90 days'
            ) AS cited
    ) p
    WHERE f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now())
        AND (leaf_due_drive_feeds.kind IS NULL OR p.kind = leaf_due_drive_feeds.kind) AND (
            p.kind = 'listed' OR f.checked_at IS NULL
            OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
        )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, text, integer) TO leaf_app;

-- The pause of a feed of the member's that has failed: at least `shortest`, and `gap` behind the last of the others that failed
-- in the same way, so that they take turns; `longest` at most.
CREATE FUNCTION leaf_drive_feed_pause(feed text, failure text, shortest interval, gap interval, longest interval)
    RETURNS interval
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT greatest(shortest, least(longest, coalesce(max(f.retry_at) - now() + gap, shortest)))
    FROM drive_feeds f
    WHERE f.failures > 0 AND f.error = failure AND f.retry_at > now()
        AND (f.user_id, f.drive_id) IS DISTINCT FROM (leaf_user_id(), feed)
$$;
REVOKE ALL ON FUNCTION leaf_drive_feed_pause(text, text, interval, interval, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_drive_feed_pause(text, text, interval, interval, interval) TO leaf_app;

-- Has the feeds tried at once that failed in this way. One that is being read is left to its reader.
CREATE FUNCTION leaf_wake_drive_feeds(failure text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE drive_feeds f SET retry_at = now()
    FROM (
        SELECT d.user_id, d.drive_id FROM drive_feeds d
        WHERE d.failures > 0 AND d.error = failure AND d.retry_at > now() FOR UPDATE SKIP LOCKED
    ) waiting
    WHERE f.user_id = waiting.user_id AND f.drive_id = waiting.drive_id
$$;
REVOKE ALL ON FUNCTION leaf_wake_drive_feeds(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_wake_drive_feeds(text) TO leaf_app;

-- Google may refuse the download of a file that it shows as one that may be downloaded: the time of that refusal.
ALTER TABLE drive_sight ADD COLUMN refused_at timestamptz;
GRANT UPDATE (refused_at) ON drive_sight TO leaf_app;
