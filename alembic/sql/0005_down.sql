DROP POLICY chat_file_versions_insert ON chat_file_versions;
CREATE POLICY chat_file_versions_insert ON chat_file_versions FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id)
    AND EXISTS (
        SELECT FROM chat_files f WHERE f.id = file_id AND f.chat_session_id = chat_file_versions.chat_session_id
    )
);
ALTER TABLE chat_file_versions DROP COLUMN original_id;
DROP TABLE chat_file_originals;
