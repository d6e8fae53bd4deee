-- Messages that wait for the end of the answer that is being written in their chat. Who leaves the chat takes theirs along.
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

-- Whose message is the next one of a chat, for whoever ends an answer there: the message itself is its writer's alone.
CREATE FUNCTION leaf_next_queued(chat uuid) RETURNS TABLE (id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT q.id, q.user_id FROM queued_messages q
    WHERE q.chat_session_id = chat AND q.problem IS NULL AND leaf_is_participant(chat)
    ORDER BY q.position LIMIT 1
$$;
REVOKE ALL ON FUNCTION leaf_next_queued(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_next_queued(uuid) TO leaf_app;

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
