-- Where a chat's title comes from: the first words of its question until a model has written one; a person's own stays.
ALTER TABLE chat_sessions ADD COLUMN title_source text NOT NULL DEFAULT 'question'
    CONSTRAINT chat_sessions_title_source_check CHECK (title_source IN ('question', 'model', 'user'));
-- What there is has been looked at for long: nobody finds it renamed.
UPDATE chat_sessions SET title_source = 'user' WHERE title IS NOT NULL;
GRANT UPDATE (title_source) ON chat_sessions TO leaf_app;
