DROP TRIGGER messages_keep_words ON messages;
DROP TRIGGER chat_sessions_keep_words ON chat_sessions;
DROP TRIGGER chat_sessions_keep_words_of_new ON chat_sessions;
DROP FUNCTION
    leaf_search(text[], boolean, integer), leaf_search_titles(text[], boolean, integer),
    leaf_keep_words(), leaf_keep_title_words(),
    leaf_search_query(text[], boolean), leaf_marked_words(text, text, uuid, uuid);
DROP INDEX chat_participants_listed_idx;
DROP TABLE search_words;
DROP FUNCTION leaf_message_text(jsonb), leaf_search_words(text);
