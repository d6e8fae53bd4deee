-- What stands for the earlier turns of a chat where a model cannot be sent all of them. Made by the worker of whoever asks.
CREATE TABLE chat_summaries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    message_id uuid NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    user_id uuid REFERENCES users (id) ON DELETE SET NULL,
    text text NOT NULL,
    model text,
    input_tokens integer NOT NULL DEFAULT 0,
    output_tokens integer NOT NULL DEFAULT 0,
    cost_usd numeric,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_summaries_chat_session_id_idx ON chat_summaries (chat_session_id);
CREATE INDEX chat_summaries_user_id_idx ON chat_summaries (user_id);

GRANT SELECT, INSERT ON chat_summaries TO leaf_app;

-- A summary lies in the chat of the answer that it ends with: the answer is looked up under its own policy.
ALTER TABLE chat_summaries ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_summaries_select ON chat_summaries FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_summaries_insert ON chat_summaries FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id)
    AND EXISTS (
        SELECT FROM messages m WHERE m.id = message_id AND m.chat_session_id = chat_summaries.chat_session_id
    )
);
