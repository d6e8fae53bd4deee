ALTER TABLE chat_sessions DROP COLUMN title_source;
