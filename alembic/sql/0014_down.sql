-- What was deleted is gone for good then: nothing else could keep it from being seen.
DELETE FROM chat_sessions WHERE deleted_at IS NOT NULL;
DROP TRIGGER messages_chat_marks ON messages;
DROP TRIGGER chat_files_chat_marks ON chat_files;
DROP TRIGGER chat_sessions_listing ON chat_sessions;
DROP TRIGGER chat_participants_marks ON chat_participants;
DROP FUNCTION
    leaf_participant_marks(), leaf_chat_listing(), leaf_chat_marks(), leaf_chat_file_marks(),
    leaf_delete_chats(uuid[]), leaf_restore_chats(uuid[]), leaf_deleted_chats(timestamptz),
    leaf_deleted_runs(interval, integer), leaf_purge_chat(uuid, interval);
CREATE OR REPLACE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant'
        AND m.created_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.created_at
$$;
CREATE OR REPLACE FUNCTION leaf_is_participant(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id())
$$;
ALTER POLICY chat_participants_update ON chat_participants
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
ALTER POLICY chat_participants_select ON chat_participants USING (leaf_is_participant(chat_session_id));
REVOKE UPDATE (pinned_at, archived_at, read_at) ON chat_participants FROM leaf_app;
DROP INDEX messages_open_idx;
ALTER TABLE chat_participants
    DROP COLUMN listed, DROP COLUMN active_at, DROP COLUMN changed_at, DROP COLUMN pinned_at,
    DROP COLUMN archived_at, DROP COLUMN read_at;
ALTER TABLE chat_sessions
    DROP COLUMN begun, DROP COLUMN running, DROP COLUMN waiting, DROP COLUMN answered_at,
    DROP COLUMN deleted_at, DROP COLUMN deleted_by;
