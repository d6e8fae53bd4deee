-- Whether people are asked before an answer in this chat could send out what it has read (the policies of the table hold).
ALTER TABLE chat_sessions ADD COLUMN approvals boolean NOT NULL DEFAULT true;
GRANT UPDATE (approvals) ON chat_sessions TO leaf_app;
