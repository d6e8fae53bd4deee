ALTER TABLE drive_texts ADD COLUMN reader integer NOT NULL DEFAULT 1;
GRANT UPDATE (reader) ON TABLE drive_texts TO leaf_app;

-- Members whose Drives hold files that wait to be read, or that an earlier reader could not read.
CREATE FUNCTION leaf_unread_drives(most integer, present_reader integer)
RETURNS TABLE (user_id uuid, workspace_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut') AND (
            t.id IS NULL OR t.state IN ('reading', 'failed') AND t.retry_at <= now()
            OR t.state = 'skipped' AND t.reader < present_reader
        )
    )
    ORDER BY random()
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_unread_drives(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_unread_drives(integer, integer) TO leaf_app;

-- Files of which pages or pictures were left out because they were not read at the time.
UPDATE drive_texts SET state = 'failed', attempts = 0, retry_at = now()
WHERE state = 'read' AND kind IN ('pdf', 'word', 'powerpoint', 'presentation')
    AND (body ->> 'notes' LIKE '%no text layer%' OR body ->> 'notes' LIKE '%cannot be read%');
DELETE FROM documents
WHERE kind IN ('pdf', 'word', 'powerpoint', 'presentation')
    AND (body ->> 'notes' LIKE '%no text layer%' OR body ->> 'notes' LIKE '%cannot be read%');
