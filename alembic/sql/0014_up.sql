-- How a list shows a chat: kept beside the chat by triggers, so that a list of thousands looks at no message.
ALTER TABLE chat_sessions
    ADD COLUMN begun boolean NOT NULL DEFAULT false,
    ADD COLUMN running boolean NOT NULL DEFAULT false,
    ADD COLUMN waiting boolean NOT NULL DEFAULT false,
    ADD COLUMN answered_at timestamptz,
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN deleted_by uuid REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX chat_sessions_deleted_at_idx ON chat_sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX chat_sessions_deleted_by_idx ON chat_sessions (deleted_by) WHERE deleted_by IS NOT NULL;

-- What each participant has done with it, and what their list is sorted and searched by.
ALTER TABLE chat_participants
    ADD COLUMN listed boolean NOT NULL DEFAULT false,
    ADD COLUMN active_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN pinned_at timestamptz,
    ADD COLUMN archived_at timestamptz,
    ADD COLUMN read_at timestamptz NOT NULL DEFAULT now();

-- The statuses are compared as text: a value that this transaction may have added cannot be used in it.
UPDATE chat_sessions c SET
    begun = EXISTS (SELECT FROM messages m WHERE m.chat_session_id = c.id)
        OR EXISTS (SELECT FROM chat_files f WHERE f.chat_session_id = c.id),
    running = EXISTS (
        SELECT FROM messages m WHERE m.chat_session_id = c.id AND m.status IN ('pending', 'streaming')
    ),
    waiting = EXISTS (SELECT FROM messages m WHERE m.chat_session_id = c.id AND m.status::text = 'waiting');
UPDATE chat_participants p SET active_at = c.updated_at, listed = c.begun
    FROM chat_sessions c WHERE c.id = p.chat_session_id;

CREATE INDEX chat_participants_chats_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NULL AND pinned_at IS NULL;
CREATE INDEX chat_participants_pinned_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NULL AND pinned_at IS NOT NULL;
CREATE INDEX chat_participants_archived_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NOT NULL;
CREATE INDEX chat_participants_changed_idx ON chat_participants (user_id, changed_at);
CREATE INDEX chat_participants_unlisted_idx ON chat_participants (user_id) WHERE NOT listed;
CREATE INDEX messages_open_idx ON messages (chat_session_id) WHERE status NOT IN ('completed', 'error', 'stopped');

-- A chat that was deleted is nobody's until it is taken back or gone for good: every policy asks this function.
CREATE OR REPLACE FUNCTION leaf_is_participant(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id() AND c.deleted_at IS NULL
    )
$$;

-- One's own rows of a list are told by their columns: asking for each would make a long list slow.
ALTER POLICY chat_participants_select ON chat_participants
    USING ((user_id = (SELECT leaf_user_id()) AND listed) OR leaf_is_participant(chat_session_id));
ALTER POLICY chat_participants_update ON chat_participants
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id))
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
GRANT UPDATE (pinned_at, archived_at, read_at) ON chat_participants TO leaf_app;

CREATE FUNCTION leaf_participant_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
            FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
        -- A chat that is not there is refused by the foreign key.
        NEW.active_at := coalesce(NEW.active_at, now());
        NEW.listed := coalesce(NEW.listed, false);
    END IF;
    NEW.changed_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE TRIGGER chat_participants_marks BEFORE INSERT OR UPDATE ON chat_participants
FOR EACH ROW EXECUTE FUNCTION leaf_participant_marks();

-- What changes in a chat changes in the lists of all who take part in it.
CREATE FUNCTION leaf_chat_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_participants p SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE p.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_sessions_listing
AFTER UPDATE OF title, updated_at, begun, running, waiting, answered_at, deleted_at ON chat_sessions
FOR EACH ROW WHEN (
    (OLD.title, OLD.updated_at, OLD.begun, OLD.running, OLD.waiting, OLD.answered_at, OLD.deleted_at)
    IS DISTINCT FROM
    (NEW.title, NEW.updated_at, NEW.begun, NEW.running, NEW.waiting, NEW.answered_at, NEW.deleted_at)
)
EXECUTE FUNCTION leaf_chat_listing();

-- Whether something is being written in a chat, whether something waits for its reader, and when it was answered last.
CREATE FUNCTION leaf_chat_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    chat uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.chat_session_id ELSE NEW.chat_session_id END;
    ended boolean := false;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        ended := NEW.role = 'assistant' AND OLD.status IN ('pending', 'streaming')
            AND NEW.status NOT IN ('pending', 'streaming');
    ELSIF TG_OP = 'INSERT' AND NEW.role = 'user' THEN
        -- Who asks in a chat that they have archived goes on with it.
        UPDATE chat_participants p SET archived_at = NULL
            WHERE p.chat_session_id = chat AND p.user_id = NEW.user_id AND p.archived_at IS NOT NULL;
    END IF;
    UPDATE chat_sessions c SET
        begun = c.begun OR TG_OP = 'INSERT',
        running = open.running,
        waiting = open.waiting,
        answered_at = CASE WHEN ended THEN clock_timestamp() ELSE c.answered_at END
        FROM (
            SELECT
                coalesce(bool_or(m.status <> 'waiting'), false) AS running,
                coalesce(bool_or(m.status = 'waiting'), false) AS waiting
            FROM messages m
            WHERE m.chat_session_id = chat AND m.status NOT IN ('completed', 'error', 'stopped')
        ) open
        WHERE c.id = chat
        AND (ended OR (c.begun, c.running, c.waiting) IS DISTINCT FROM
            (c.begun OR TG_OP = 'INSERT', open.running, open.waiting));
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_chat_marks AFTER INSERT OR DELETE OR UPDATE OF status ON messages
FOR EACH ROW EXECUTE FUNCTION leaf_chat_marks();

CREATE FUNCTION leaf_chat_file_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_sessions c SET begun = true WHERE c.id = NEW.chat_session_id AND NOT c.begun;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_files_chat_marks AFTER INSERT ON chat_files
FOR EACH ROW EXECUTE FUNCTION leaf_chat_file_marks();

-- Deletes chats for all who take part in them; those that the person has no part in are left out.
CREATE FUNCTION leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE chat_sessions c SET deleted_at = clock_timestamp(), deleted_by = leaf_user_id()
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_delete_chats.chats) AND leaf_is_participant(l.id)
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;

-- Takes back what the person has deleted, while it is there.
CREATE FUNCTION leaf_restore_chats(chats uuid[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE chat_sessions c SET deleted_at = NULL, deleted_by = NULL
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_restore_chats.chats) AND l.deleted_at IS NOT NULL AND l.deleted_by = leaf_user_id()
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;

-- What is to be taken out of a list that shows it still: ids alone.
CREATE FUNCTION leaf_deleted_chats(since timestamptz) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.changed_at >= leaf_deleted_chats.since AND c.deleted_at IS NOT NULL
$$;

-- Chats that were deleted so long ago, with the runs whose keys have to go first.
CREATE FUNCTION leaf_deleted_runs(older_than interval, most integer) RETURNS TABLE (chat_session_id uuid, run_ids uuid[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id, array(
        SELECT m.workflow_run_id FROM messages m
        WHERE m.chat_session_id = c.id AND m.workflow_run_id IS NOT NULL
    )
    FROM chat_sessions c
    WHERE c.deleted_at <= now() - leaf_deleted_runs.older_than
    ORDER BY c.deleted_at LIMIT leaf_deleted_runs.most
$$;

-- Removes one of them for good, with all that belongs to it; nothing that somebody has taken back meanwhile.
CREATE FUNCTION leaf_purge_chat(chat uuid, older_than interval) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH gone AS (
        DELETE FROM chat_sessions c
        WHERE c.id = leaf_purge_chat.chat AND c.deleted_at <= now() - leaf_purge_chat.older_than
        RETURNING c.id
    )
    SELECT EXISTS (SELECT FROM gone)
$$;

-- Runs of deleted chats are nobody's to write.
CREATE OR REPLACE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.created_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.created_at
$$;

REVOKE ALL ON FUNCTION
    leaf_participant_marks(), leaf_chat_listing(), leaf_chat_marks(), leaf_chat_file_marks(),
    leaf_delete_chats(uuid[]), leaf_restore_chats(uuid[]), leaf_deleted_chats(timestamptz),
    leaf_deleted_runs(interval, integer), leaf_purge_chat(uuid, interval)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_delete_chats(uuid[]), leaf_restore_chats(uuid[]), leaf_deleted_chats(timestamptz),
    leaf_deleted_runs(interval, integer), leaf_purge_chat(uuid, interval)
TO leaf_app;
