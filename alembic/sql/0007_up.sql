-- An answer that waits for its reader: a question that the agent has asked, or a call that has to be allowed first.
-- The new value cannot be used in the transaction that adds it; the index of unfinished answers does without it anyway.
ALTER TYPE message_status ADD VALUE IF NOT EXISTS 'waiting';

-- What the reader has answered so far, by tool call id: the run goes on when nothing is open any more.
ALTER TABLE messages ADD COLUMN answers jsonb CONSTRAINT messages_answers_check
    CHECK (answers IS NULL OR jsonb_typeof(answers) = 'object');
GRANT UPDATE (answers) ON messages TO leaf_app;
