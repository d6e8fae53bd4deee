-- Tools that run in the pages of an agent's sites: what its tenant has declared (`leaf.client_tools`).
ALTER TABLE agents ADD COLUMN client_tools jsonb NOT NULL DEFAULT '[]'::jsonb
    CONSTRAINT agents_client_tools_check CHECK (jsonb_typeof(client_tools) = 'array');
GRANT UPDATE (client_tools) ON agents TO leaf_app;
