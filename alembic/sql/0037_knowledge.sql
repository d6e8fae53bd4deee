-- Knowledge: what an agent of a site may answer from. Files belong to the site; folders are in a member's Drive.

CREATE TABLE agent_files (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    title text NOT NULL CONSTRAINT agent_files_title_check CHECK (char_length(title) BETWEEN 1 AND 120),
    kind text NOT NULL,
    size_bytes integer NOT NULL,
    characters integer NOT NULL,
    sha256 bytea NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE,
    UNIQUE (agent_id, sha256)
);
CREATE INDEX ON agent_files (tenant_id, agent_id);

CREATE TABLE agent_folders (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    title text NOT NULL CONSTRAINT agent_folders_title_check CHECK (char_length(title) BETWEEN 1 AND 120),
    folder_id text NOT NULL CONSTRAINT agent_folders_folder_id_check CHECK (char_length(folder_id) BETWEEN 1 AND 200),
    resource_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE,
    -- A folder is read with its owner's grant: it goes when the owner leaves the team.
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_members (tenant_id, user_id) ON DELETE CASCADE,
    UNIQUE (agent_id, folder_id)
);
CREATE INDEX ON agent_folders (tenant_id, agent_id);
CREATE INDEX ON agent_folders (user_id, tenant_id);
CREATE INDEX ON agent_folders (workspace_id);

-- A visitor's run reads the knowledge of the agent that it asks, and of no other.
CREATE FUNCTION leaf_is_visitor_of(agent uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM visitors v WHERE v.user_id = leaf_user_id() AND v.agent_id = agent)
$$;
REVOKE ALL ON FUNCTION leaf_is_visitor_of(agent uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_is_visitor_of(agent uuid) TO leaf_app;

ALTER TABLE agent_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_files_select ON agent_files FOR SELECT TO leaf_app
    USING (leaf_is_member(tenant_id) OR leaf_is_visitor_of(agent_id));
CREATE POLICY agent_files_insert ON agent_files FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_files_update ON agent_files FOR UPDATE TO leaf_app
    USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_files_delete ON agent_files FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
GRANT SELECT, INSERT, DELETE ON agent_files TO leaf_app;
GRANT UPDATE (title) ON agent_files TO leaf_app;

ALTER TABLE agent_folders ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_folders_select ON agent_folders FOR SELECT TO leaf_app
    USING (leaf_is_member(tenant_id) OR leaf_is_visitor_of(agent_id));
-- Nobody can offer another member's Drive.
CREATE POLICY agent_folders_insert ON agent_folders FOR INSERT TO leaf_app WITH CHECK (
    leaf_is_member(tenant_id) AND user_id = leaf_user_id()
    AND EXISTS (
        SELECT FROM workspace_members w
        WHERE w.workspace_id = agent_folders.workspace_id AND w.user_id = leaf_user_id()
    )
);
CREATE POLICY agent_folders_update ON agent_folders FOR UPDATE TO leaf_app
    USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_folders_delete ON agent_folders FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
GRANT SELECT, INSERT, DELETE ON agent_folders TO leaf_app;
GRANT UPDATE (title) ON agent_folders TO leaf_app;
