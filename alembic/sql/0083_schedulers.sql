-- The functions of schedulers name members, runs and chats of everybody. They answer the system alone, in whose
-- transactions `leaf_user_id()` is NULL, as leaf_doctor_member does.

CREATE OR REPLACE FUNCTION leaf_deleted_runs(older_than interval, most integer) RETURNS TABLE(chat_session_id uuid, run_ids uuid[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, array(
        SELECT m.workflow_run_id FROM messages m
        WHERE m.chat_session_id = c.id AND m.workflow_run_id IS NOT NULL
    )
    FROM chat_sessions c
    WHERE leaf_user_id() IS NULL AND c.deleted_at <= now() - leaf_deleted_runs.older_than
    ORDER BY c.deleted_at LIMIT leaf_deleted_runs.most
$$;

CREATE OR REPLACE FUNCTION leaf_due_digests(most integer, waited interval) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.user_id, (array_agg(w.workspace_id))[1]
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN digests d ON d.user_id = w.user_id
    WHERE leaf_user_id() IS NULL AND w.news_at IS NOT NULL AND w.mailed_at IS DISTINCT FROM w.news_at AND w.news_at > p.read_at
        AND d.wanted IS NOT FALSE AND (d.next_at IS NULL OR d.next_at <= now())
    GROUP BY w.user_id
    HAVING min(w.news_at) <= now() - waited
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_due_drive_feeds(present interval, absent interval, again interval, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
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
        ) AS here
    ) p
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, f.checked_at NULLS FIRST
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
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
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, kind text, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
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
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now())
        AND (leaf_due_drive_feeds.kind IS NULL OR p.kind = leaf_due_drive_feeds.kind) AND (
            p.kind = 'listed' OR f.checked_at IS NULL
            OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
        )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
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
    WHERE leaf_user_id() IS NULL AND (
        d.file_id IS NULL OR NOT d.can_download OR d.wanted_at IS NULL OR EXISTS (
            SELECT FROM drive_texts t WHERE t.file_id = d.file_id AND t.revision = d.revision
                AND (t.state IN ('read', 'skipped') OR t.state = 'failed' AND t.attempts >= 3)
        )
    )
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_due_watches(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT w.user_id, w.workspace_id
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN messages m ON m.id = w.answer_id
    WHERE leaf_user_id() IS NULL AND w.ended_at IS NULL AND CASE
        WHEN w.asking THEN m.id IS NULL OR m.status NOT IN ('pending', 'streaming')
        ELSE w.next_at <= now() AND p.archived_at IS NULL AND EXISTS (
            SELECT FROM drive_feeds f
            JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
                AND i.provider = 'google_drive' AND i.status = 'active'
            WHERE f.user_id = w.user_id AND f.drive_id = '' AND f.workspace_id = w.workspace_id
        )
    END
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_import_owner(import uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.user_id FROM imports i WHERE leaf_user_id() IS NULL AND i.id = leaf_import_owner.import
$$;

CREATE OR REPLACE FUNCTION leaf_large_chats(bytes bigint, most integer) RETURNS TABLE(chat_session_id uuid, content_bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, c.content_bytes FROM chat_sessions c
    WHERE leaf_user_id() IS NULL AND c.content_bytes >= leaf_large_chats.bytes AND c.content_bytes >= 524288 AND c.deleted_at IS NULL
    ORDER BY c.content_bytes DESC LIMIT leaf_large_chats.most
$$;

CREATE OR REPLACE FUNCTION leaf_overdue_client_calls(most integer) RETURNS TABLE(message_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.user_id
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE leaf_user_id() IS NULL AND m.client_due_at <= now() AND m.status = 'waiting' AND m.user_id IS NOT NULL AND c.deleted_at IS NULL
    ORDER BY m.client_due_at LIMIT leaf_overdue_client_calls.most
$$;

CREATE OR REPLACE FUNCTION leaf_run_owner(run_id uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.user_id FROM messages m WHERE leaf_user_id() IS NULL AND m.workflow_run_id = leaf_run_owner.run_id
$$;

CREATE OR REPLACE FUNCTION leaf_unembedded_drives(most integer, made_by text, present_reader integer) RETURNS TABLE(user_id uuid, workspace_id uuid, unread boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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
    WHERE leaf_user_id() IS NULL AND EXISTS (
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

CREATE OR REPLACE FUNCTION leaf_unfinished_imports(older_than interval) RETURNS TABLE(import_id uuid, attempts integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, i.attempts FROM imports i
    WHERE leaf_user_id() IS NULL AND i.status IN ('waiting', 'running') AND i.updated_at <= now() - leaf_unfinished_imports.older_than
    ORDER BY i.created_at
$$;

CREATE OR REPLACE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE(run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE leaf_user_id() IS NULL AND m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.run_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.run_at
$$;

CREATE OR REPLACE FUNCTION leaf_unread_drives(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE leaf_user_id() IS NULL AND f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
            AND (t.id IS NULL OR t.state IN ('reading', 'failed') AND t.retry_at <= now())
    )
    ORDER BY random()
    LIMIT most
$$;

CREATE OR REPLACE FUNCTION leaf_unread_drives(most integer, present_reader integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE leaf_user_id() IS NULL AND f.drive_id = '' AND f.failures = 0 AND EXISTS (
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
