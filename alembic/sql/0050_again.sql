CREATE OR REPLACE FUNCTION leaf_unread_drives(most integer, present_reader integer)
    RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut') AND (
            t.id IS NULL OR t.state IN ('reading', 'failed', 'skipped') AND t.retry_at <= now()
            OR t.state = 'skipped' AND t.reader < present_reader
        )
    )
    ORDER BY random()
    LIMIT most
$$;
