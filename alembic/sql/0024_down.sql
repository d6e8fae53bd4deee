DROP FUNCTION leaf_unfinished_imports(interval);
DROP FUNCTION leaf_import_owner(uuid);
DROP TRIGGER chat_sessions_imported_key ON chat_sessions;
DROP FUNCTION leaf_forget_imported_key();
DROP INDEX chat_sessions_imported_key_idx;
ALTER TABLE chat_sessions DROP COLUMN imported_key, DROP COLUMN imported_from;
DROP TABLE imports;
