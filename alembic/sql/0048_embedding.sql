-- Which texts have vectors, and of which model (decision 0075).
ALTER TABLE drive_texts ADD COLUMN vector_model text, ADD COLUMN vectors_claimed_until timestamptz;
GRANT UPDATE (vector_model, vectors_claimed_until) ON drive_texts TO leaf_app;

-- Members who see texts without vectors of a model; those whose files are still being read come last.
CREATE FUNCTION leaf_unembedded_drives(most integer, made_by text, present_reader integer)
RETURNS TABLE (user_id uuid, workspace_id uuid, unread boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT f.user_id, f.workspace_id, unread.some
    FROM drive_feeds f
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM drive_sight s
            LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
            WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut') AND (
                t.id IS NULL OR (t.state IN ('reading', 'failed') AND t.retry_at <= now())
                OR (t.state = 'skipped' AND t.reader < present_reader)
            )
        ) AS some
    ) AS unread
    WHERE EXISTS (
        SELECT FROM drive_texts t WHERE t.state = 'read' AND t.vector_model IS DISTINCT FROM made_by
            AND (t.vectors_claimed_until IS NULL OR t.vectors_claimed_until <= now())
    ) AND f.drive_id = '' AND EXISTS (
        SELECT FROM drive_sight s
        JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND t.state = 'read'
            AND t.vector_model IS DISTINCT FROM made_by
            AND (t.vectors_claimed_until IS NULL OR t.vectors_claimed_until <= now())
    )
    ORDER BY unread.some, random() LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_unembedded_drives(integer, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_unembedded_drives(integer, text, integer) TO leaf_app;
