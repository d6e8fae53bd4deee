ALTER TABLE chat_sessions DROP COLUMN approvals;
