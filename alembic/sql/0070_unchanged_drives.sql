-- Files that matter to a watched question because they have changed since a time, by what its answer was given. A cited
-- file counts in another revision than the answer had, or where none was kept, when it was modified after the answer.
-- Another file counts when it was modified after the answer, or has come into sight by a change (`arrived_at`): what the
-- first listing of a feed shows is not new. A revision with the text of the one before keeps its row in `drive_texts`,
-- so that the row is older than the answer. One that is not `ready` is yet to be read.
DROP FUNCTION leaf_changed_files(timestamptz);
CREATE FUNCTION leaf_changed_files(since timestamptz, answer uuid)
    RETURNS TABLE(file_id text, changed_at timestamptz, ready boolean, cited boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.file_id, s.changed_at, coalesce(t.state IN ('read', 'skipped'), false)
        OR s.changed_at < now() - interval '6 hours', c.cited
    FROM messages m
    JOIN drive_sight s ON s.user_id = leaf_user_id() AND s.changed_at > since
    LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM citations q WHERE q.message_id = m.id AND q.file_id = s.file_id) AS cited
    ) c
    WHERE m.id = answer AND leaf_is_participant(m.chat_session_id)
        AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
        AND (s.arrived_at > since OR t.id IS NULL OR t.created_at > m.created_at)
        -- The parts of the answer are looked into for changed files that it cites alone.
        AND CASE WHEN c.cited THEN EXISTS (
            SELECT FROM (
                SELECT q.file_id, q.revision FROM leaf_followed_quotes(leaf_parts(m)) q
                UNION SELECT f.file_id, f.revision FROM leaf_followed_figures(leaf_parts(m)) f
            ) given
            WHERE given.file_id = s.file_id
                AND CASE WHEN given.revision = '' THEN s.modified_at > m.created_at ELSE given.revision <> s.revision END
        ) ELSE s.arrived_at > since OR s.modified_at > m.created_at END
$$;
REVOKE ALL ON FUNCTION leaf_changed_files(since timestamptz, answer uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_changed_files(since timestamptz, answer uuid) TO leaf_app;

-- As before, but for quotes that are not followed any more: nobody knows whether they still stand as they were marked.
CREATE OR REPLACE FUNCTION leaf_shared_moved(token text) RETURNS TABLE(at timestamptz, n integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.created_at, q.n
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    JOIN messages m ON m.id = ANY (s.message_ids) AND m.chat_session_id = s.chat_session_id
    JOIN citations q ON q.message_id = m.id AND q.state IN ('changed', 'gone')
        AND q.quoted_at > now() - interval '90 days'
    WHERE s.token = leaf_shared_moved.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
