-- A chat is a tree: a question hangs on the answer that it follows, an answer on its question. Whoever asks something
-- in another way adds a message beside the old one. `position` stays the order in which messages came.
ALTER TABLE messages ADD CONSTRAINT messages_chat_session_id_id_key UNIQUE (chat_session_id, id);
ALTER TABLE messages ADD COLUMN parent_id uuid;

UPDATE messages m SET parent_id = before.id
FROM (SELECT id AS message_id, lag(id) OVER (PARTITION BY chat_session_id ORDER BY position) AS id FROM messages) before
WHERE before.message_id = m.id AND before.id IS NOT NULL;

-- The parent lies in the same chat.
ALTER TABLE messages ADD CONSTRAINT messages_parent_id_fkey FOREIGN KEY (chat_session_id, parent_id)
    REFERENCES messages (chat_session_id, id) ON DELETE CASCADE;
CREATE INDEX messages_parent_id_idx ON messages (parent_id);

-- The parent was there before, so that no messages can hang on one another in a circle, and the two take turns. Nobody
-- may change a parent afterwards: the column is granted to INSERT alone.
CREATE FUNCTION leaf_message_parent() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM messages m
        WHERE m.id = NEW.parent_id AND m.chat_session_id = NEW.chat_session_id AND m.role <> NEW.role
    ) THEN
        RAISE EXCEPTION 'a message hangs on an earlier one of the same chat, a question on an answer and the reverse'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'messages_parent_check';
    END IF;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION leaf_message_parent() FROM PUBLIC;

CREATE TRIGGER messages_parent BEFORE INSERT ON messages
FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL) EXECUTE FUNCTION leaf_message_parent();
