-- Tools that run in the pages of an agent's sites: what its tenant has declared (`leaf.client_tools`).
ALTER TABLE agents ADD COLUMN client_tools jsonb NOT NULL DEFAULT '[]'::jsonb
    CONSTRAINT agents_client_tools_check CHECK (jsonb_typeof(client_tools) = 'array');
-- Whether visitors may send files with their messages.
ALTER TABLE agents ADD COLUMN attachments boolean NOT NULL DEFAULT false;
GRANT UPDATE (client_tools, attachments) ON agents TO leaf_app;
