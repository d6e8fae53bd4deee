DROP POLICY chat_participants_update ON chat_participants;
REVOKE UPDATE (branch_id) ON chat_participants FROM leaf_app;
ALTER TABLE chat_participants DROP COLUMN branch_id;
