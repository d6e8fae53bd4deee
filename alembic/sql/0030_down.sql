ALTER TABLE agents DROP COLUMN client_tools, DROP COLUMN attachments;
