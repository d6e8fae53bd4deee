DROP TRIGGER messages_chat_activity ON messages;
DROP FUNCTION leaf_chat_activity();
