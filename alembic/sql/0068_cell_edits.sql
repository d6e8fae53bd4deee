-- Computations that somebody has changed by hand (decision 0090). The answer stays as it was written; the new query and
-- its result stand beside it, as do the results of what rests on it.
CREATE TABLE cell_edits (
    id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    call text NOT NULL,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    query text CONSTRAINT cell_edits_query_check CHECK (char_length(query) <= 4000),
    output jsonb NOT NULL,
    problem text NOT NULL DEFAULT '',
    edited_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT cell_edits_message_id_call_key UNIQUE (message_id, call)
);
CREATE INDEX cell_edits_chat_session_id_idx ON cell_edits (chat_session_id);
CREATE INDEX cell_edits_user_id_idx ON cell_edits (user_id);

GRANT SELECT, INSERT, DELETE ON cell_edits TO leaf_app;
ALTER TABLE cell_edits ENABLE ROW LEVEL SECURITY;
CREATE POLICY cell_edits_select ON cell_edits FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY cell_edits_insert ON cell_edits FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id) AND EXISTS (
        SELECT FROM messages m WHERE m.id = message_id AND m.chat_session_id = cell_edits.chat_session_id
    ));
CREATE POLICY cell_edits_delete ON cell_edits FOR DELETE TO leaf_app USING (leaf_is_participant(chat_session_id));
