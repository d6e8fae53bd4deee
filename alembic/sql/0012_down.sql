DROP TRIGGER messages_parent ON messages;
DROP FUNCTION leaf_message_parent();
ALTER TABLE messages DROP COLUMN parent_id;
ALTER TABLE messages DROP CONSTRAINT messages_chat_session_id_id_key;
