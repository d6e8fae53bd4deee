-- Which branch of a chat somebody looks at: the path to the newest message at or below this one; none for the newest of
-- all. It is each participant's own, so that one who asks again in another way does not take the others along.
ALTER TABLE chat_participants ADD COLUMN branch_id uuid;
ALTER TABLE chat_participants ADD CONSTRAINT chat_participants_branch_id_fkey
    FOREIGN KEY (chat_session_id, branch_id) REFERENCES messages (chat_session_id, id) ON DELETE SET NULL (branch_id);

GRANT UPDATE (branch_id) ON chat_participants TO leaf_app;
CREATE POLICY chat_participants_update ON chat_participants FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
