DROP TRIGGER messages_answer_usage ON messages;
DROP FUNCTION leaf_answer_usage();
DROP TABLE usage_entries;
ALTER TABLE messages
    DROP COLUMN thinking_tokens,
    DROP COLUMN requests,
    DROP COLUMN duration_ms,
    DROP COLUMN reserved_tokens,
    DROP COLUMN reserved_usd;
