-- When the text of a version could be searched first, or turned out not to be readable; and whether it was skipped before
-- it was read. A watched question counts a file from this time on, which may be long after the file itself has changed.
ALTER TABLE drive_texts ADD COLUMN settled_at timestamptz, ADD COLUMN late boolean DEFAULT false NOT NULL;
UPDATE drive_texts SET late = true, settled_at = updated_at WHERE state = 'skipped';
CREATE INDEX drive_texts_settled_idx ON drive_texts (settled_at);

CREATE FUNCTION leaf_settle_text() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NEW.state = 'skipped' THEN
        NEW.late := true;
        -- It is tried again from time to time: that it cannot be read yet is no news.
        NEW.settled_at := coalesce(OLD.settled_at, now());
    ELSE
        NEW.settled_at := now();
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_settle_text() FROM PUBLIC;
CREATE TRIGGER drive_texts_settled BEFORE UPDATE OF state ON drive_texts FOR EACH ROW
    WHEN (NEW.state IN ('read', 'skipped') AND OLD.state <> NEW.state) EXECUTE FUNCTION leaf_settle_text();

-- As before, and a text that takes the place of one that was skipped is late as well.
CREATE OR REPLACE FUNCTION leaf_keep_drive_text(file text, fresh_revision text, fresh_digest bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    kept uuid;
    was_late boolean;
BEGIN
    IF NOT EXISTS (
        SELECT FROM drive_sight s WHERE s.user_id = leaf_user_id()
            AND s.file_id = file AND s.revision = fresh_revision AND s.can_download
    ) THEN
        RETURN false;
    END IF;
    SELECT t.id INTO kept FROM drive_texts t
        WHERE t.file_id = file AND t.revision <> fresh_revision AND t.state = 'read' AND t.digest = fresh_digest
        ORDER BY t.updated_at DESC LIMIT 1 FOR UPDATE;
    IF kept IS NULL THEN
        RETURN false;
    END IF;
    DELETE FROM drive_texts t WHERE t.file_id = file AND t.revision = fresh_revision RETURNING t.late INTO was_late;
    UPDATE drive_texts t SET revision = fresh_revision, updated_at = now(), late = t.late OR coalesce(was_late, false),
        settled_at = CASE WHEN was_late THEN now() ELSE t.settled_at END WHERE t.id = kept;
    RETURN true;
END
$$;

-- Files that matter to a watched question because they have changed since a time, by what its answer was given: they have
-- come into sight or got another revision, or the text of this revision has been read since. A cited file counts in another
-- revision than the answer had, or where none was kept, when it was modified after the answer. Another file counts when it
-- was modified after the answer or has come into sight by a change (`arrived_at`), or when its text has come after the answer
-- and was skipped before it was read, or is that of a file that has come by a change or was modified since Drive was connected:
-- what the first listing of a feed shows is not new, also if it turns out not to be readable. A revision with the text of the
-- one before keeps its row in `drive_texts`, so that the row is older than the answer. One that is not `ready` is yet to be read.
CREATE OR REPLACE FUNCTION leaf_changed_files(since timestamptz, answer uuid)
    RETURNS TABLE(file_id text, changed_at timestamptz, ready boolean, cited boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.file_id, greatest(s.changed_at, t.settled_at), coalesce(t.state IN ('read', 'skipped'), false)
        OR s.changed_at < now() - interval '6 hours', c.cited
    FROM messages m
    CROSS JOIN (
        SELECT d.file_id, d.revision FROM drive_sight d WHERE d.user_id = leaf_user_id() AND d.changed_at > since
        UNION SELECT x.file_id, x.revision FROM drive_texts x WHERE x.settled_at > since
    ) moved
    JOIN drive_sight s ON s.user_id = leaf_user_id() AND s.file_id = moved.file_id AND s.revision = moved.revision
    LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM citations q WHERE q.message_id = m.id AND q.file_id = s.file_id) AS cited,
            t.settled_at > greatest(since, m.created_at) AND (
                t.late AND t.state = 'read' OR s.arrived_at > to_timestamp(0) OR s.modified_at > (
                    SELECT f.created_at FROM drive_feeds f WHERE f.user_id = s.user_id AND f.drive_id = s.feed
                )
            ) AS came
    ) c
    WHERE m.id = answer AND leaf_is_participant(m.chat_session_id)
        AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
        AND (s.arrived_at > since OR t.id IS NULL OR t.created_at > m.created_at OR c.came AND NOT c.cited)
        -- The parts of the answer are looked into for changed files that it cites alone.
        AND CASE WHEN c.cited THEN EXISTS (
            SELECT FROM (
                SELECT q.file_id, q.revision FROM leaf_followed_quotes(leaf_parts(m)) q
                UNION SELECT f.file_id, f.revision FROM leaf_followed_figures(leaf_parts(m)) f
            ) given
            WHERE given.file_id = s.file_id
                AND CASE WHEN given.revision = '' THEN s.modified_at > m.created_at ELSE given.revision <> s.revision END
        ) ELSE c.came OR s.arrived_at > since OR s.modified_at > m.created_at END
$$;
