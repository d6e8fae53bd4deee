-- Runs: the writing of answers, and the messages that wait for the end of one.

-- Notes the start of each run of an answer.
CREATE FUNCTION leaf_run_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    NEW.run_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER messages_run_begins BEFORE UPDATE OF workflow_run_id ON messages
FOR EACH ROW WHEN (OLD.workflow_run_id IS DISTINCT FROM NEW.workflow_run_id)
EXECUTE FUNCTION leaf_run_begins();

-- Runs that are unfinished after this time, oldest first; a run in a deleted chat is left alone.
CREATE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.run_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.run_at
$$;

-- The person for whom a run is written: the worker acts for them.
CREATE FUNCTION leaf_run_owner(run_id uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.user_id FROM messages m WHERE m.workflow_run_id = leaf_run_owner.run_id
$$;

-- Answers whose tool calls at the caller are overdue; a worker ends them on behalf of their askers.
CREATE FUNCTION leaf_overdue_client_calls(most integer) RETURNS TABLE (message_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.id, m.user_id
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.client_due_at <= now() AND m.status = 'waiting' AND m.user_id IS NOT NULL AND c.deleted_at IS NULL
    ORDER BY m.client_due_at LIMIT leaf_overdue_client_calls.most
$$;

-- Stops the answers that are being written for a participant who leaves or is removed, so that the chat can go on.
-- Returns the runs; their usage is recorded by their workers.
CREATE FUNCTION leaf_stop_answers(chat uuid, person uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    runs uuid[];
BEGIN
    IF NOT (leaf_is_creator(chat) OR person = leaf_user_id()) OR NOT leaf_is_participant(chat) THEN
        RETURN;
    END IF;
    WITH stopped AS (
        UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.chat_session_id = chat AND m.user_id = person AND m.status IN ('pending', 'streaming', 'waiting')
        RETURNING m.workflow_run_id
    )
    SELECT coalesce(array_agg(workflow_run_id), '{}') INTO runs FROM stopped;
    DELETE FROM usage_entries u WHERE u.run_id = ANY (runs) AND u.purpose = 'answer' AND u.requests = 0;
    RETURN QUERY SELECT unnest(runs);
END
$$;

-- Messages that wait for the end of the answer that is being written in their chat. A participant who leaves the chat
-- takes theirs along.
CREATE TABLE queued_messages (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    parts jsonb NOT NULL CONSTRAINT queued_messages_parts_check CHECK (jsonb_typeof(parts) = 'array'),
    search_mode text NOT NULL,
    model_type text NOT NULL,
    problem text,
    position bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT queued_messages_participant_fkey FOREIGN KEY (chat_session_id, user_id)
        REFERENCES chat_participants (chat_session_id, user_id) ON DELETE CASCADE
);
CREATE INDEX queued_messages_chat_session_id_position_idx ON queued_messages (chat_session_id, position);
CREATE INDEX queued_messages_user_id_idx ON queued_messages (user_id);

GRANT SELECT, INSERT, DELETE, UPDATE (parts, problem) ON queued_messages TO leaf_app;
ALTER TABLE queued_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY queued_messages_select ON queued_messages FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY queued_messages_insert ON queued_messages FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY queued_messages_update ON queued_messages FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY queued_messages_delete ON queued_messages FOR DELETE TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));

-- The next message of a chat's queue and its author. The transaction that ends an answer needs this; the message itself
-- can be read by its author alone.
CREATE FUNCTION leaf_next_queued(chat uuid) RETURNS TABLE (id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT q.id, q.user_id FROM queued_messages q
    WHERE q.chat_session_id = chat AND q.problem IS NULL AND leaf_is_participant(chat)
    ORDER BY q.position LIMIT 1
$$;

GRANT EXECUTE ON FUNCTION
    leaf_unfinished_runs(interval),
    leaf_run_owner(uuid),
    leaf_overdue_client_calls(integer),
    leaf_stop_answers(uuid, uuid),
    leaf_next_queued(uuid)
TO leaf_app;
