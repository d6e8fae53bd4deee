-- The database of this version, as PostgreSQL describes it. Written by `make docs` from a migrated database
-- (tests/schema_doc.py); do not edit it. The reasons for tables, functions and policies are in alembic/sql.
--
-- First the types, then each table with its constraints, indexes, triggers, policies and rights, then the functions.
-- Left out: comments within functions, the names of owners and of the schema, and the table of Alembic.

CREATE SCHEMA leaf_vectors;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA leaf_vectors;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE TYPE integration_provider AS ENUM (
    'google_drive'
);

CREATE TYPE integration_status AS ENUM (
    'active',
    'error',
    'revoked'
);

CREATE TYPE message_role AS ENUM (
    'user',
    'assistant'
);

CREATE TYPE message_status AS ENUM (
    'pending',
    'streaming',
    'completed',
    'error',
    'stopped',
    'waiting'
);

GRANT USAGE ON SCHEMA leaf_vectors TO leaf_app;

GRANT USAGE ON SCHEMA public TO leaf_app;

CREATE TABLE agent_files (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    title text NOT NULL,
    kind text NOT NULL,
    size_bytes integer NOT NULL,
    characters integer NOT NULL,
    sha256 bytea NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_files_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 120)))
);
ALTER TABLE ONLY agent_files ADD CONSTRAINT agent_files_agent_id_sha256_key UNIQUE (agent_id, sha256);
ALTER TABLE ONLY agent_files ADD CONSTRAINT agent_files_pkey PRIMARY KEY (id);
CREATE INDEX agent_files_tenant_id_agent_id_idx ON agent_files USING btree (tenant_id, agent_id);
ALTER TABLE ONLY agent_files ADD CONSTRAINT agent_files_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE agent_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_files_delete ON agent_files FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agent_files_insert ON agent_files FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_files_select ON agent_files FOR SELECT TO leaf_app USING ((leaf_is_member(tenant_id) OR leaf_is_visitor_of(agent_id)));
CREATE POLICY agent_files_update ON agent_files FOR UPDATE TO leaf_app USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE agent_files TO leaf_app;
GRANT UPDATE (title) ON TABLE agent_files TO leaf_app;

CREATE TABLE agent_folders (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    title text NOT NULL,
    folder_id text NOT NULL,
    resource_key text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_folders_folder_id_check CHECK (((char_length(folder_id) >= 1) AND (char_length(folder_id) <= 200))),
    CONSTRAINT agent_folders_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 120)))
);
ALTER TABLE ONLY agent_folders ADD CONSTRAINT agent_folders_agent_id_folder_id_key UNIQUE (agent_id, folder_id);
ALTER TABLE ONLY agent_folders ADD CONSTRAINT agent_folders_pkey PRIMARY KEY (id);
CREATE INDEX agent_folders_tenant_id_agent_id_idx ON agent_folders USING btree (tenant_id, agent_id);
CREATE INDEX agent_folders_user_id_tenant_id_idx ON agent_folders USING btree (user_id, tenant_id);
CREATE INDEX agent_folders_workspace_id_idx ON agent_folders USING btree (workspace_id);
ALTER TABLE ONLY agent_folders ADD CONSTRAINT agent_folders_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY agent_folders ADD CONSTRAINT agent_folders_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_members(tenant_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY agent_folders ADD CONSTRAINT agent_folders_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE agent_folders ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_folders_delete ON agent_folders FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agent_folders_insert ON agent_folders FOR INSERT TO leaf_app WITH CHECK ((leaf_is_member(tenant_id) AND (user_id = leaf_user_id()) AND (EXISTS ( SELECT
   FROM workspace_members w
  WHERE ((w.workspace_id = agent_folders.workspace_id) AND (w.user_id = leaf_user_id()))))));
CREATE POLICY agent_folders_select ON agent_folders FOR SELECT TO leaf_app USING ((leaf_is_member(tenant_id) OR leaf_is_visitor_of(agent_id)));
CREATE POLICY agent_folders_update ON agent_folders FOR UPDATE TO leaf_app USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE agent_folders TO leaf_app;
GRANT UPDATE (title) ON TABLE agent_folders TO leaf_app;

CREATE TABLE agent_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80)))
);
ALTER TABLE ONLY agent_keys ADD CONSTRAINT agent_keys_key_key UNIQUE (key);
ALTER TABLE ONLY agent_keys ADD CONSTRAINT agent_keys_pkey PRIMARY KEY (id);
CREATE INDEX agent_keys_tenant_id_agent_id_idx ON agent_keys USING btree (tenant_id, agent_id);
ALTER TABLE ONLY agent_keys ADD CONSTRAINT agent_keys_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE agent_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_keys_delete ON agent_keys FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agent_keys_insert ON agent_keys FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_keys_select ON agent_keys FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE agent_keys TO leaf_app;

CREATE TABLE agents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    system_prompt text DEFAULT ''::text NOT NULL,
    model text,
    temperature double precision,
    tools text[] DEFAULT '{}'::text[] NOT NULL,
    output_schema jsonb,
    context_injection jsonb DEFAULT '{}'::jsonb NOT NULL,
    origins text[] DEFAULT '{}'::text[] NOT NULL,
    identity text DEFAULT 'any'::text NOT NULL,
    welcome text DEFAULT ''::text NOT NULL,
    suggestions text[] DEFAULT '{}'::text[] NOT NULL,
    look jsonb DEFAULT '{}'::jsonb NOT NULL,
    visitor_daily integer DEFAULT 100 NOT NULL,
    agent_daily integer DEFAULT 2000 NOT NULL,
    retention_days integer,
    paused boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    provider_logs boolean DEFAULT false NOT NULL,
    client_tools jsonb DEFAULT '[]'::jsonb NOT NULL,
    attachments boolean DEFAULT false NOT NULL,
    CONSTRAINT agents_agent_daily_check CHECK ((agent_daily > 0)),
    CONSTRAINT agents_client_tools_check CHECK ((jsonb_typeof(client_tools) = 'array'::text)),
    CONSTRAINT agents_context_injection_check CHECK ((jsonb_typeof(context_injection) = 'object'::text)),
    CONSTRAINT agents_identity_check CHECK ((identity = ANY (ARRAY['any'::text, 'proven'::text, 'signed'::text]))),
    CONSTRAINT agents_look_check CHECK ((jsonb_typeof(look) = 'object'::text)),
    CONSTRAINT agents_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT agents_origins_check CHECK ((cardinality(origins) <= 50)),
    CONSTRAINT agents_output_schema_check CHECK ((jsonb_typeof(output_schema) = 'object'::text)),
    CONSTRAINT agents_retention_days_check CHECK (((retention_days >= 1) AND (retention_days <= 3650))),
    CONSTRAINT agents_suggestions_check CHECK ((cardinality(suggestions) <= 6)),
    CONSTRAINT agents_system_prompt_check CHECK ((char_length(system_prompt) <= 20000)),
    CONSTRAINT agents_temperature_check CHECK (((temperature >= (0)::double precision) AND (temperature <= (2)::double precision))),
    CONSTRAINT agents_tools_check CHECK ((cardinality(tools) <= 20)),
    CONSTRAINT agents_visitor_daily_check CHECK ((visitor_daily > 0)),
    CONSTRAINT agents_welcome_check CHECK ((char_length(welcome) <= 1000))
);
ALTER TABLE ONLY agents ADD CONSTRAINT agents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY agents ADD CONSTRAINT agents_tenant_id_id_key UNIQUE (tenant_id, id);
CREATE INDEX agents_origins_idx ON agents USING gin (origins);
ALTER TABLE ONLY agents ADD CONSTRAINT agents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
CREATE POLICY agents_delete ON agents FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agents_insert ON agents FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agents_select ON agents FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agents_update ON agents FOR UPDATE TO leaf_app USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE agents TO leaf_app;
GRANT UPDATE (name, system_prompt, model, temperature, tools, output_schema, context_injection, origins, identity, welcome, suggestions, look, visitor_daily, agent_daily, retention_days, paused, updated_at, provider_logs, client_tools, attachments) ON TABLE agents TO leaf_app;

CREATE TABLE api_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    token_hash text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_hint_check CHECK ((char_length(hint) <= 20)),
    CONSTRAINT api_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT api_keys_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'write'::text, 'drive'::text]) AND ((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 3))))
);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_token_hash_key UNIQUE (token_hash);
CREATE INDEX api_keys_user_id_idx ON api_keys USING btree (user_id);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_delete ON api_keys FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY api_keys_insert ON api_keys FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY api_keys_no_visitor ON api_keys AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY api_keys_select ON api_keys FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE api_keys TO leaf_app;

CREATE TABLE budget_alerts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid,
    unit text NOT NULL,
    percent integer NOT NULL,
    period date NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT budget_alerts_agent_check CHECK (((agent_id IS NULL) = (unit <> 'messages'::text))),
    CONSTRAINT budget_alerts_percent_check CHECK ((percent = ANY (ARRAY[80, 100]))),
    CONSTRAINT budget_alerts_unit_check CHECK ((unit = ANY (ARRAY['tokens'::text, 'usd'::text, 'messages'::text])))
);
ALTER TABLE ONLY budget_alerts ADD CONSTRAINT budget_alerts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY budget_alerts ADD CONSTRAINT budget_alerts_tenant_id_agent_id_unit_percent_period_key UNIQUE NULLS NOT DISTINCT (tenant_id, agent_id, unit, percent, period);
ALTER TABLE ONLY budget_alerts ADD CONSTRAINT budget_alerts_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY budget_alerts ADD CONSTRAINT budget_alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE budget_alerts ENABLE ROW LEVEL SECURITY;
CREATE POLICY budget_alerts_select ON budget_alerts FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
GRANT SELECT ON TABLE budget_alerts TO leaf_app;

CREATE TABLE cell_edits (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid NOT NULL,
    call text NOT NULL,
    user_id uuid NOT NULL,
    query text,
    output jsonb NOT NULL,
    problem text DEFAULT ''::text NOT NULL,
    edited_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT cell_edits_query_check CHECK ((char_length(query) <= 4000))
);
ALTER TABLE ONLY cell_edits ADD CONSTRAINT cell_edits_message_id_call_key UNIQUE (message_id, call);
ALTER TABLE ONLY cell_edits ADD CONSTRAINT cell_edits_pkey PRIMARY KEY (id);
CREATE INDEX cell_edits_chat_session_id_idx ON cell_edits USING btree (chat_session_id);
CREATE INDEX cell_edits_user_id_idx ON cell_edits USING btree (user_id);
ALTER TABLE ONLY cell_edits ADD CONSTRAINT cell_edits_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY cell_edits ADD CONSTRAINT cell_edits_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY cell_edits ADD CONSTRAINT cell_edits_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE cell_edits ENABLE ROW LEVEL SECURITY;
CREATE POLICY cell_edits_delete ON cell_edits FOR DELETE TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY cell_edits_insert ON cell_edits FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id) AND (EXISTS ( SELECT
   FROM messages m
  WHERE ((m.id = cell_edits.message_id) AND (m.chat_session_id = cell_edits.chat_session_id))))));
CREATE POLICY cell_edits_select ON cell_edits FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT,DELETE ON TABLE cell_edits TO leaf_app;

CREATE TABLE chat_file_originals (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    user_id uuid,
    kind text NOT NULL,
    size_bytes integer NOT NULL,
    sha256 bytea NOT NULL,
    data bytea NOT NULL,
    content text,
    content_bytes integer DEFAULT 0 NOT NULL,
    places jsonb DEFAULT '[]'::jsonb NOT NULL,
    notes jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_file_originals_size_check CHECK ((size_bytes = octet_length(data)))
);
ALTER TABLE ONLY chat_file_originals ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE ONLY chat_file_originals ADD CONSTRAINT chat_file_originals_pkey PRIMARY KEY (id);
CREATE INDEX chat_file_originals_chat_session_id_idx ON chat_file_originals USING btree (chat_session_id);
CREATE INDEX chat_file_originals_user_id_idx ON chat_file_originals USING btree (user_id);
ALTER TABLE ONLY chat_file_originals ADD CONSTRAINT chat_file_originals_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_file_originals ADD CONSTRAINT chat_file_originals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE chat_file_originals ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_originals_delete ON chat_file_originals FOR DELETE TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_insert ON chat_file_originals FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
CREATE POLICY chat_file_originals_select ON chat_file_originals FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT,DELETE ON TABLE chat_file_originals TO leaf_app;

CREATE TABLE chat_file_versions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    file_id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    number integer NOT NULL,
    action text NOT NULL,
    content text NOT NULL,
    user_id uuid,
    run_id uuid,
    call_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    original_id uuid,
    CONSTRAINT chat_file_versions_action_check CHECK ((action = ANY (ARRAY['write'::text, 'edit'::text, 'delete'::text, 'restore'::text, 'upload'::text])))
);
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_file_id_number_key UNIQUE (file_id, number);
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_run_id_call_id_key UNIQUE (run_id, call_id);
CREATE INDEX chat_file_versions_chat_session_id_idx ON chat_file_versions USING btree (chat_session_id);
CREATE INDEX chat_file_versions_original_id_idx ON chat_file_versions USING btree (original_id);
CREATE INDEX chat_file_versions_user_id_idx ON chat_file_versions USING btree (user_id);
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_file_id_fkey FOREIGN KEY (file_id) REFERENCES chat_files(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_original_id_fkey FOREIGN KEY (original_id) REFERENCES chat_file_originals(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_file_versions ADD CONSTRAINT chat_file_versions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE chat_file_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_versions_delete ON chat_file_versions FOR DELETE TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_versions_insert ON chat_file_versions FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id) AND (EXISTS ( SELECT
   FROM chat_files f
  WHERE ((f.id = chat_file_versions.file_id) AND (f.chat_session_id = chat_file_versions.chat_session_id)))) AND ((original_id IS NULL) OR (EXISTS ( SELECT
   FROM chat_file_originals o
  WHERE ((o.id = chat_file_versions.original_id) AND (o.chat_session_id = chat_file_versions.chat_session_id)))))));
CREATE POLICY chat_file_versions_select ON chat_file_versions FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT,DELETE ON TABLE chat_file_versions TO leaf_app;

CREATE TABLE chat_files (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    path character varying(255) NOT NULL,
    version integer NOT NULL,
    size_bytes integer NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY chat_files ADD CONSTRAINT chat_files_chat_session_id_path_key UNIQUE (chat_session_id, path);
ALTER TABLE ONLY chat_files ADD CONSTRAINT chat_files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY chat_files ADD CONSTRAINT chat_files_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE chat_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_files_insert ON chat_files FOR INSERT TO leaf_app WITH CHECK (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_select ON chat_files FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_update ON chat_files FOR UPDATE TO leaf_app USING (leaf_is_participant(chat_session_id)) WITH CHECK (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT ON TABLE chat_files TO leaf_app;
GRANT UPDATE (version, size_bytes, deleted, updated_at) ON TABLE chat_files TO leaf_app;

CREATE TABLE chat_invitations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    invited_by uuid NOT NULL,
    email text NOT NULL,
    declined_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_invitations_email_check CHECK ((email = lower(email)))
);
ALTER TABLE ONLY chat_invitations ADD CONSTRAINT chat_invitations_chat_session_id_email_key UNIQUE (chat_session_id, email);
ALTER TABLE ONLY chat_invitations ADD CONSTRAINT chat_invitations_pkey PRIMARY KEY (id);
CREATE INDEX chat_invitations_email_idx ON chat_invitations USING btree (email);
CREATE INDEX chat_invitations_invited_by_idx ON chat_invitations USING btree (invited_by);
ALTER TABLE ONLY chat_invitations ADD CONSTRAINT chat_invitations_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_invitations ADD CONSTRAINT chat_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE chat_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_invitations_delete ON chat_invitations FOR DELETE TO leaf_app USING ((invited_by = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_invitations_insert ON chat_invitations FOR INSERT TO leaf_app WITH CHECK (((invited_by = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_creator(chat_session_id)));
CREATE POLICY chat_invitations_no_visitor ON chat_invitations AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY chat_invitations_select ON chat_invitations FOR SELECT TO leaf_app USING ((invited_by = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE chat_invitations TO leaf_app;

CREATE TABLE chat_participants (
    chat_session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL,
    branch_id uuid,
    listed boolean DEFAULT false NOT NULL,
    active_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    pinned_at timestamp with time zone,
    archived_at timestamp with time zone,
    read_at timestamp with time zone DEFAULT now() NOT NULL,
    project_id uuid
);
ALTER TABLE ONLY chat_participants ADD CONSTRAINT chat_participants_pkey PRIMARY KEY (chat_session_id, user_id);
CREATE INDEX chat_participants_archived_idx ON chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NOT NULL));
CREATE INDEX chat_participants_changed_idx ON chat_participants USING btree (user_id, changed_at);
CREATE INDEX chat_participants_chats_idx ON chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NULL) AND (pinned_at IS NULL));
CREATE INDEX chat_participants_listed_idx ON chat_participants USING btree (user_id, active_at DESC) WHERE listed;
CREATE INDEX chat_participants_pinned_idx ON chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NULL) AND (pinned_at IS NOT NULL));
CREATE INDEX chat_participants_project_idx ON chat_participants USING btree (project_id, active_at DESC, chat_session_id DESC) WHERE (project_id IS NOT NULL);
CREATE INDEX chat_participants_unlisted_idx ON chat_participants USING btree (user_id) WHERE (NOT listed);
CREATE INDEX chat_participants_user_id_idx ON chat_participants USING btree (user_id);
ALTER TABLE ONLY chat_participants ADD CONSTRAINT chat_participants_branch_id_fkey FOREIGN KEY (chat_session_id, branch_id) REFERENCES messages(chat_session_id, id) ON DELETE SET NULL (branch_id);
ALTER TABLE ONLY chat_participants ADD CONSTRAINT chat_participants_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_participants ADD CONSTRAINT chat_participants_project_id_fkey FOREIGN KEY (project_id, user_id) REFERENCES projects(id, user_id) ON DELETE SET NULL (project_id);
ALTER TABLE ONLY chat_participants ADD CONSTRAINT chat_participants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER chat_participants_marks BEFORE INSERT OR UPDATE ON chat_participants FOR EACH ROW EXECUTE FUNCTION leaf_participant_marks();
ALTER TABLE chat_participants ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_participants_delete ON chat_participants FOR DELETE TO leaf_app USING ((leaf_is_participant(chat_session_id) AND
CASE
    WHEN leaf_is_creator(chat_session_id) THEN (user_id <> ( SELECT leaf_user_id() AS leaf_user_id))
    ELSE (user_id = ( SELECT leaf_user_id() AS leaf_user_id))
END));
CREATE POLICY chat_participants_insert ON chat_participants FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_creator(chat_session_id)));
CREATE POLICY chat_participants_select ON chat_participants FOR SELECT TO leaf_app USING ((((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND listed) OR leaf_is_participant(chat_session_id)));
CREATE POLICY chat_participants_update ON chat_participants FOR UPDATE TO leaf_app USING (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id))) WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
GRANT SELECT,INSERT,DELETE ON TABLE chat_participants TO leaf_app;
GRANT UPDATE (branch_id, pinned_at, archived_at, read_at, project_id) ON TABLE chat_participants TO leaf_app;

CREATE TABLE chat_sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    created_by uuid NOT NULL,
    title character varying(255),
    used_drive boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    title_source text DEFAULT 'question'::text NOT NULL,
    approvals boolean DEFAULT true NOT NULL,
    begun boolean DEFAULT false NOT NULL,
    running boolean DEFAULT false NOT NULL,
    waiting boolean DEFAULT false NOT NULL,
    answered_at timestamp with time zone,
    deleted_at timestamp with time zone,
    deleted_by uuid,
    imported_from text,
    imported_key text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_bytes bigint DEFAULT 0 NOT NULL,
    tools text[],
    thinking_tokens integer,
    scope jsonb,
    CONSTRAINT chat_sessions_imported_from_check CHECK ((imported_from = ANY (ARRAY['leaf'::text, 'chatgpt'::text]))),
    CONSTRAINT chat_sessions_metadata_check CHECK (((jsonb_typeof(metadata) = 'object'::text) AND (octet_length((metadata)::text) <= 65536))),
    CONSTRAINT chat_sessions_scope_check CHECK (((jsonb_typeof(scope) = 'object'::text) AND (octet_length((scope)::text) <= 65536))),
    CONSTRAINT chat_sessions_thinking_tokens_check CHECK (((thinking_tokens >= 1024) AND (thinking_tokens <= 100000))),
    CONSTRAINT chat_sessions_title_source_check CHECK ((title_source = ANY (ARRAY['question'::text, 'model'::text, 'user'::text]))),
    CONSTRAINT chat_sessions_tools_check CHECK ((cardinality(tools) <= 100))
);
ALTER TABLE ONLY chat_sessions ADD CONSTRAINT chat_sessions_pkey PRIMARY KEY (id);
CREATE INDEX chat_sessions_content_bytes_idx ON chat_sessions USING btree (content_bytes) WHERE (content_bytes >= 524288);
CREATE INDEX chat_sessions_created_by_idx ON chat_sessions USING btree (created_by);
CREATE INDEX chat_sessions_deleted_at_idx ON chat_sessions USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX chat_sessions_deleted_by_idx ON chat_sessions USING btree (deleted_by) WHERE (deleted_by IS NOT NULL);
CREATE UNIQUE INDEX chat_sessions_imported_key_idx ON chat_sessions USING btree (created_by, imported_key) WHERE ((imported_key IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX chat_sessions_unasked_idx ON chat_sessions USING btree (updated_at) WHERE (NOT begun);
CREATE INDEX chat_sessions_workspace_id_updated_at_idx ON chat_sessions USING btree (workspace_id, updated_at DESC);
ALTER TABLE ONLY chat_sessions ADD CONSTRAINT chat_sessions_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_sessions ADD CONSTRAINT chat_sessions_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE ONLY chat_sessions ADD CONSTRAINT chat_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
CREATE TRIGGER chat_sessions_imported_key BEFORE UPDATE OF deleted_at, created_by ON chat_sessions FOR EACH ROW WHEN (((old.imported_key IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION leaf_forget_imported_key();
CREATE TRIGGER chat_sessions_keep_words AFTER UPDATE OF title ON chat_sessions FOR EACH ROW WHEN (((old.title)::text IS DISTINCT FROM (new.title)::text)) EXECUTE FUNCTION leaf_keep_title_words();
CREATE TRIGGER chat_sessions_keep_words_of_new AFTER INSERT ON chat_sessions FOR EACH ROW WHEN ((new.title IS NOT NULL)) EXECUTE FUNCTION leaf_keep_title_words();
CREATE TRIGGER chat_sessions_listing AFTER UPDATE OF title, updated_at, begun, running, waiting, answered_at, deleted_at ON chat_sessions FOR EACH ROW WHEN (((((((((old.title)::text IS DISTINCT FROM (new.title)::text) OR (old.updated_at IS DISTINCT FROM new.updated_at)) OR (old.begun IS DISTINCT FROM new.begun)) OR (old.running IS DISTINCT FROM new.running)) OR (old.waiting IS DISTINCT FROM new.waiting)) OR (old.answered_at IS DISTINCT FROM new.answered_at)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION leaf_chat_listing();
CREATE TRIGGER chat_sessions_move_words AFTER UPDATE OF created_by ON chat_sessions FOR EACH ROW WHEN ((old.created_by IS DISTINCT FROM new.created_by)) EXECUTE FUNCTION leaf_move_words();
ALTER TABLE chat_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_sessions_delete ON chat_sessions FOR DELETE TO leaf_app USING ((leaf_is_participant(id) AND leaf_is_creator(id)));
CREATE POLICY chat_sessions_insert ON chat_sessions FOR INSERT TO leaf_app WITH CHECK (((created_by = ( SELECT leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id())))));
CREATE POLICY chat_sessions_select ON chat_sessions FOR SELECT TO leaf_app USING (leaf_is_participant(id));
CREATE POLICY chat_sessions_update ON chat_sessions FOR UPDATE TO leaf_app USING (leaf_is_participant(id)) WITH CHECK (leaf_is_participant(id));
GRANT SELECT,INSERT,DELETE ON TABLE chat_sessions TO leaf_app;
GRANT UPDATE (title, used_drive, updated_at, title_source, approvals, metadata, content_bytes, tools, thinking_tokens, scope) ON TABLE chat_sessions TO leaf_app;

CREATE TABLE chat_shares (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    created_by uuid NOT NULL,
    token text NOT NULL,
    message_ids uuid[] NOT NULL,
    title character varying(255) DEFAULT ''::character varying NOT NULL,
    content jsonb DEFAULT '[]'::jsonb NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    shared_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_shares_token_check CHECK ((token ~ '^[A-Za-z0-9_-]{32,64}$'::text))
);
ALTER TABLE ONLY chat_shares ADD CONSTRAINT chat_shares_chat_session_id_key UNIQUE (chat_session_id);
ALTER TABLE ONLY chat_shares ADD CONSTRAINT chat_shares_pkey PRIMARY KEY (id);
ALTER TABLE ONLY chat_shares ADD CONSTRAINT chat_shares_token_key UNIQUE (token);
CREATE INDEX chat_shares_created_by_idx ON chat_shares USING btree (created_by);
ALTER TABLE ONLY chat_shares ADD CONSTRAINT chat_shares_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_shares ADD CONSTRAINT chat_shares_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER chat_shares_content BEFORE INSERT OR UPDATE OF message_ids ON chat_shares FOR EACH ROW EXECUTE FUNCTION leaf_share_content();
ALTER TABLE chat_shares ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_shares_delete ON chat_shares FOR DELETE TO leaf_app USING ((created_by = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_shares_insert ON chat_shares FOR INSERT TO leaf_app WITH CHECK (((created_by = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_creator(chat_session_id)));
CREATE POLICY chat_shares_no_visitor ON chat_shares AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY chat_shares_select ON chat_shares FOR SELECT TO leaf_app USING ((created_by = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_shares_update ON chat_shares FOR UPDATE TO leaf_app USING ((created_by = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK (((created_by = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_creator(chat_session_id)));
GRANT SELECT,DELETE ON TABLE chat_shares TO leaf_app;
GRANT INSERT (id, chat_session_id, created_by, token, message_ids, expires_at, created_at) ON TABLE chat_shares TO leaf_app;
GRANT UPDATE (message_ids, expires_at) ON TABLE chat_shares TO leaf_app;

CREATE TABLE chat_summaries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid NOT NULL,
    user_id uuid,
    text text NOT NULL,
    model text,
    input_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    cost_usd numeric,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    tools text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY chat_summaries ADD CONSTRAINT chat_summaries_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY chat_summaries ADD CONSTRAINT chat_summaries_pkey PRIMARY KEY (id);
CREATE INDEX chat_summaries_chat_session_id_idx ON chat_summaries USING btree (chat_session_id);
CREATE INDEX chat_summaries_user_id_idx ON chat_summaries USING btree (user_id);
ALTER TABLE ONLY chat_summaries ADD CONSTRAINT chat_summaries_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_summaries ADD CONSTRAINT chat_summaries_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY chat_summaries ADD CONSTRAINT chat_summaries_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
CREATE TRIGGER chat_summaries_tools BEFORE INSERT ON chat_summaries FOR EACH ROW EXECUTE FUNCTION leaf_summary_tools();
ALTER TABLE chat_summaries ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_summaries_insert ON chat_summaries FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id) AND (EXISTS ( SELECT
   FROM messages m
  WHERE ((m.id = chat_summaries.message_id) AND (m.chat_session_id = chat_summaries.chat_session_id))))));
CREATE POLICY chat_summaries_select ON chat_summaries FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT ON TABLE chat_summaries TO leaf_app;

CREATE TABLE citations (
    message_id uuid NOT NULL,
    n integer NOT NULL,
    chat_session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    file_id text NOT NULL,
    revision text NOT NULL,
    state text DEFAULT 'stands'::text NOT NULL,
    quoted_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone,
    due_at timestamp with time zone,
    call text DEFAULT ''::text NOT NULL,
    compute_at timestamp with time zone,
    unchecked jsonb,
    CONSTRAINT citations_state_check CHECK ((state = ANY (ARRAY['stands'::text, 'changed'::text, 'gone'::text, 'hidden'::text])))
);
ALTER TABLE ONLY citations ADD CONSTRAINT citations_pkey PRIMARY KEY (message_id, n, file_id);
CREATE INDEX citations_changed_idx ON citations USING btree (user_id, chat_session_id) WHERE (state <> 'stands'::text);
CREATE INDEX citations_chat_session_id_idx ON citations USING btree (chat_session_id);
CREATE INDEX citations_compute_idx ON citations USING btree (compute_at) WHERE (compute_at IS NOT NULL);
CREATE INDEX citations_due_idx ON citations USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX citations_file_id_idx ON citations USING btree (file_id);
CREATE INDEX citations_followed_idx ON citations USING btree (user_id, quoted_at);
CREATE INDEX citations_unchecked_idx ON citations USING btree (user_id, chat_session_id) WHERE (unchecked IS NOT NULL);
CREATE INDEX citations_user_id_file_id_idx ON citations USING btree (user_id, file_id);
ALTER TABLE ONLY citations ADD CONSTRAINT citations_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY citations ADD CONSTRAINT citations_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY citations ADD CONSTRAINT citations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER citations_changed AFTER UPDATE OF state, unchecked ON citations FOR EACH ROW WHEN (((old.state IS DISTINCT FROM new.state) OR (old.unchecked IS DISTINCT FROM new.unchecked))) EXECUTE FUNCTION leaf_quotes_changed();
ALTER TABLE citations ENABLE ROW LEVEL SECURITY;
CREATE POLICY citations_select ON citations FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY citations_update ON citations FOR UPDATE TO leaf_app USING (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id))) WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
GRANT SELECT ON TABLE citations TO leaf_app;
GRANT UPDATE (revision, state, changed_at, due_at, compute_at, unchecked) ON TABLE citations TO leaf_app;

CREATE TABLE cold_messages (
    message_id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    parts jsonb NOT NULL,
    model_messages jsonb,
    moved_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (toast_tuple_target='128');
ALTER TABLE ONLY cold_messages ADD CONSTRAINT cold_messages_pkey PRIMARY KEY (message_id);
CREATE INDEX cold_messages_chat_session_id_idx ON cold_messages USING btree (chat_session_id);
ALTER TABLE ONLY cold_messages ADD CONSTRAINT cold_messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY cold_messages ADD CONSTRAINT cold_messages_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE cold_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY cold_messages_select ON cold_messages FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT ON TABLE cold_messages TO leaf_app;

CREATE TABLE digests (
    user_id uuid NOT NULL,
    wanted boolean DEFAULT true NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT digests_language_check CHECK ((language ~ '^[a-z]{2}$'::text))
);
ALTER TABLE ONLY digests ADD CONSTRAINT digests_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY digests ADD CONSTRAINT digests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE digests ENABLE ROW LEVEL SECURITY;
CREATE POLICY digests_insert ON digests FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY digests_no_visitor ON digests AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY digests_select ON digests FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY digests_update ON digests FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT ON TABLE digests TO leaf_app;
GRANT UPDATE (wanted, language, next_at) ON TABLE digests TO leaf_app;

CREATE TABLE documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    provider integration_provider NOT NULL,
    file_id text NOT NULL,
    revision text NOT NULL,
    name text NOT NULL,
    mime_type text NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY documents ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY documents ADD CONSTRAINT documents_user_id_provider_file_id_revision_key UNIQUE (user_id, provider, file_id, revision);
ALTER TABLE ONLY documents ADD CONSTRAINT documents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY documents_delete ON documents FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY documents_insert ON documents FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY documents_select ON documents FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE documents TO leaf_app;

CREATE TABLE drive_chunks (
    text_id uuid NOT NULL,
    n integer NOT NULL,
    place text NOT NULL,
    heading text NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL
)
WITH (toast_tuple_target='128');
ALTER TABLE ONLY drive_chunks ADD CONSTRAINT drive_chunks_pkey PRIMARY KEY (text_id, n);
CREATE INDEX drive_chunks_words_idx ON drive_chunks USING gin (words);
ALTER TABLE ONLY drive_chunks ADD CONSTRAINT drive_chunks_text_id_fkey FOREIGN KEY (text_id) REFERENCES drive_texts(id) ON DELETE CASCADE;
ALTER TABLE drive_chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_chunks_delete ON drive_chunks FOR DELETE TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_chunks.text_id))));
CREATE POLICY drive_chunks_insert ON drive_chunks FOR INSERT TO leaf_app WITH CHECK ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_chunks.text_id))));
CREATE POLICY drive_chunks_select ON drive_chunks FOR SELECT TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_chunks.text_id))));
GRANT SELECT,INSERT,DELETE ON TABLE drive_chunks TO leaf_app;

CREATE TABLE drive_feeds (
    user_id uuid NOT NULL,
    drive_id text DEFAULT ''::text NOT NULL,
    workspace_id uuid NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    stage text DEFAULT 'new'::text NOT NULL,
    change_token text,
    page_token text,
    listing integer DEFAULT 0 NOT NULL,
    listed_at timestamp with time zone,
    checked_at timestamp with time zone,
    retry_at timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    error text,
    claim integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT drive_feeds_stage_check CHECK ((stage = ANY (ARRAY['new'::text, 'listing'::text, 'following'::text])))
);
ALTER TABLE ONLY drive_feeds ADD CONSTRAINT drive_feeds_pkey PRIMARY KEY (user_id, drive_id);
CREATE INDEX drive_feeds_workspace_id_idx ON drive_feeds USING btree (workspace_id);
ALTER TABLE ONLY drive_feeds ADD CONSTRAINT drive_feeds_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY drive_feeds ADD CONSTRAINT drive_feeds_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE drive_feeds ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_feeds_delete ON drive_feeds FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY drive_feeds_insert ON drive_feeds FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id())))));
CREATE POLICY drive_feeds_no_visitor ON drive_feeds AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY drive_feeds_select ON drive_feeds FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY drive_feeds_update ON drive_feeds FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE drive_feeds TO leaf_app;
GRANT UPDATE (name, stage, change_token, page_token, listing, listed_at, checked_at, retry_at, failures, error, claim, claimed_until, updated_at) ON TABLE drive_feeds TO leaf_app;

CREATE TABLE drive_sight (
    user_id uuid NOT NULL,
    file_id text NOT NULL,
    feed text DEFAULT ''::text NOT NULL,
    listing integer DEFAULT 0 NOT NULL,
    revision text NOT NULL,
    parent_id text,
    name text NOT NULL,
    mime_type text NOT NULL,
    kind text NOT NULL,
    url text NOT NULL,
    size_bytes bigint,
    modified_at timestamp with time zone,
    can_download boolean NOT NULL,
    drive_id text,
    resource_key text,
    wanted_at timestamp with time zone,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    arrived_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    refused_at timestamp with time zone
);
ALTER TABLE ONLY drive_sight ADD CONSTRAINT drive_sight_pkey PRIMARY KEY (user_id, file_id);
CREATE INDEX drive_sight_changed_idx ON drive_sight USING btree (user_id, changed_at);
CREATE INDEX drive_sight_file_id_revision_idx ON drive_sight USING btree (file_id, revision);
CREATE INDEX drive_sight_user_id_parent_id_idx ON drive_sight USING btree (user_id, parent_id);
ALTER TABLE ONLY drive_sight ADD CONSTRAINT drive_sight_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER drive_sight_deleted AFTER DELETE ON drive_sight REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_drive_texts();
CREATE TRIGGER drive_sight_deleted_documents AFTER DELETE ON drive_sight REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_forget_documents();
CREATE TRIGGER drive_sight_deleted_lists AFTER DELETE ON drive_sight REFERENCING OLD TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
CREATE TRIGGER drive_sight_deleted_quotes AFTER DELETE ON drive_sight REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();
CREATE TRIGGER drive_sight_inserted_lists AFTER INSERT ON drive_sight REFERENCING NEW TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
CREATE TRIGGER drive_sight_inserted_quotes AFTER INSERT ON drive_sight REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();
CREATE TRIGGER drive_sight_revision BEFORE UPDATE ON drive_sight FOR EACH ROW WHEN (((old.revision IS DISTINCT FROM new.revision) OR (new.can_download AND (NOT old.can_download)))) EXECUTE FUNCTION leaf_note_revision();
CREATE TRIGGER drive_sight_updated AFTER UPDATE ON drive_sight REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_drive_texts();
CREATE TRIGGER drive_sight_updated_documents AFTER UPDATE ON drive_sight REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_forget_documents();
CREATE TRIGGER drive_sight_updated_lists AFTER UPDATE ON drive_sight REFERENCING OLD TABLE AS before NEW TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
CREATE TRIGGER drive_sight_updated_quotes AFTER UPDATE ON drive_sight REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_quotes();
ALTER TABLE drive_sight ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_sight_delete ON drive_sight FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY drive_sight_insert ON drive_sight FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY drive_sight_no_visitor ON drive_sight AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY drive_sight_select ON drive_sight FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY drive_sight_update ON drive_sight FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE drive_sight TO leaf_app;
GRANT UPDATE (feed, listing, revision, parent_id, name, mime_type, kind, url, size_bytes, modified_at, can_download, drive_id, resource_key, wanted_at, seen_at, refused_at) ON TABLE drive_sight TO leaf_app;

CREATE TABLE drive_texts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    file_id text NOT NULL,
    revision text NOT NULL,
    state text DEFAULT 'reading'::text NOT NULL,
    attempts integer DEFAULT 1 NOT NULL,
    retry_at timestamp with time zone,
    reason jsonb,
    mime_type text NOT NULL,
    kind text NOT NULL,
    body jsonb,
    digest bytea,
    language text,
    chunks integer DEFAULT 0 NOT NULL,
    doubtful boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    reader integer DEFAULT 1 NOT NULL,
    vector_model text,
    vectors_claimed_until timestamp with time zone,
    settled_at timestamp with time zone,
    late boolean DEFAULT false NOT NULL,
    CONSTRAINT drive_texts_state_check CHECK ((state = ANY (ARRAY['reading'::text, 'read'::text, 'failed'::text, 'skipped'::text])))
);
ALTER TABLE ONLY drive_texts ADD CONSTRAINT drive_texts_file_id_revision_key UNIQUE (file_id, revision);
ALTER TABLE ONLY drive_texts ADD CONSTRAINT drive_texts_pkey PRIMARY KEY (id);
CREATE INDEX drive_texts_doubtful_idx ON drive_texts USING btree (id) WHERE doubtful;
CREATE INDEX drive_texts_settled_idx ON drive_texts USING btree (settled_at);
CREATE TRIGGER drive_texts_read AFTER UPDATE OF state ON drive_texts FOR EACH ROW WHEN ((new.state = ANY (ARRAY['read'::text, 'skipped'::text]))) EXECUTE FUNCTION leaf_doubt_earlier_texts();
CREATE TRIGGER drive_texts_recheck AFTER UPDATE OF state, revision ON drive_texts FOR EACH ROW WHEN ((new.state = ANY (ARRAY['read'::text, 'skipped'::text]))) EXECUTE FUNCTION leaf_recheck_quotes();
CREATE TRIGGER drive_texts_settled BEFORE UPDATE OF state ON drive_texts FOR EACH ROW WHEN (((new.state = ANY (ARRAY['read'::text, 'skipped'::text])) AND (old.state <> new.state))) EXECUTE FUNCTION leaf_settle_text();
ALTER TABLE drive_texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_texts_insert ON drive_texts FOR INSERT TO leaf_app WITH CHECK ((EXISTS ( SELECT
   FROM drive_sight s
  WHERE ((s.user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (s.file_id = drive_texts.file_id) AND (s.revision = drive_texts.revision) AND s.can_download))));
CREATE POLICY drive_texts_select ON drive_texts FOR SELECT TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_sight s
  WHERE ((s.user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (s.file_id = drive_texts.file_id) AND (s.revision = drive_texts.revision) AND s.can_download))));
CREATE POLICY drive_texts_update ON drive_texts FOR UPDATE TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_sight s
  WHERE ((s.user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (s.file_id = drive_texts.file_id) AND (s.revision = drive_texts.revision) AND s.can_download))));
GRANT SELECT,INSERT ON TABLE drive_texts TO leaf_app;
GRANT UPDATE (state, attempts, retry_at, reason, mime_type, kind, body, digest, language, chunks, updated_at, reader, vector_model, vectors_claimed_until) ON TABLE drive_texts TO leaf_app;

CREATE TABLE drive_vectors (
    text_id uuid NOT NULL,
    n integer NOT NULL,
    model text NOT NULL,
    digest uuid NOT NULL,
    vector leaf_vectors.halfvec(512) NOT NULL,
    bits bit(512) GENERATED ALWAYS AS ((leaf_vectors.binary_quantize(vector))::bit(512)) STORED NOT NULL
);
ALTER TABLE ONLY drive_vectors ADD CONSTRAINT drive_vectors_pkey PRIMARY KEY (text_id, n) INCLUDE (model, bits);
CREATE INDEX drive_vectors_digest_idx ON drive_vectors USING btree (digest);
ALTER TABLE ONLY drive_vectors ADD CONSTRAINT drive_vectors_text_id_fkey FOREIGN KEY (text_id, n) REFERENCES drive_chunks(text_id, n) ON DELETE CASCADE;
ALTER TABLE drive_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_vectors_delete ON drive_vectors FOR DELETE TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_vectors.text_id))));
CREATE POLICY drive_vectors_insert ON drive_vectors FOR INSERT TO leaf_app WITH CHECK ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_vectors.text_id))));
CREATE POLICY drive_vectors_select ON drive_vectors FOR SELECT TO leaf_app USING ((EXISTS ( SELECT
   FROM drive_texts t
  WHERE (t.id = drive_vectors.text_id))));
GRANT SELECT,INSERT,DELETE ON TABLE drive_vectors TO leaf_app;

CREATE TABLE feedback (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid,
    message_id uuid,
    run_id uuid,
    sentiment text,
    comment text DEFAULT ''::text NOT NULL,
    page text DEFAULT ''::text NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT feedback_answer_check CHECK ((((message_id IS NULL) = (run_id IS NULL)) AND ((message_id IS NULL) OR ((user_id IS NOT NULL) AND (sentiment IS NOT NULL))))),
    CONSTRAINT feedback_comment_check CHECK ((char_length(comment) <= 2000)),
    CONSTRAINT feedback_page_check CHECK ((char_length(page) <= 200)),
    CONSTRAINT feedback_said_check CHECK (((sentiment IS NOT NULL) OR (comment <> ''::text))),
    CONSTRAINT feedback_sentiment_check CHECK ((sentiment = ANY (ARRAY['up'::text, 'neutral'::text, 'down'::text]))),
    CONSTRAINT feedback_user_agent_check CHECK ((char_length(user_agent) <= 300))
);
ALTER TABLE ONLY feedback ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY feedback ADD CONSTRAINT feedback_user_id_run_id_key UNIQUE (user_id, run_id);
CREATE INDEX feedback_created_at_idx ON feedback USING btree (created_at);
CREATE INDEX feedback_message_id_idx ON feedback USING btree (message_id);
ALTER TABLE ONLY feedback ADD CONSTRAINT feedback_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY feedback ADD CONSTRAINT feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE feedback ENABLE ROW LEVEL SECURITY;
CREATE POLICY feedback_delete ON feedback FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY feedback_insert ON feedback FOR INSERT TO leaf_app WITH CHECK (((NOT (user_id IS DISTINCT FROM ( SELECT leaf_user_id() AS leaf_user_id))) AND ((message_id IS NULL) OR (EXISTS ( SELECT
   FROM messages m
  WHERE ((m.id = feedback.message_id) AND (m.workflow_run_id = feedback.run_id) AND (m.role = 'assistant'::message_role)))))));
CREATE POLICY feedback_select ON feedback FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY feedback_update ON feedback FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE feedback TO leaf_app;
GRANT UPDATE (sentiment, comment, page, user_agent, updated_at) ON TABLE feedback TO leaf_app;

CREATE TABLE identities (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    provider text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY identities ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY identities ADD CONSTRAINT identities_provider_subject_key UNIQUE (provider, subject);
CREATE INDEX identities_user_id_idx ON identities USING btree (user_id);
ALTER TABLE ONLY identities ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY identities_select ON identities FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT ON TABLE identities TO leaf_app;

CREATE TABLE imports (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    size_bytes bigint NOT NULL,
    data bytea,
    status text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    total integer,
    done integer DEFAULT 0 NOT NULL,
    imported integer DEFAULT 0 NOT NULL,
    known integer DEFAULT 0 NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    left_out integer DEFAULT 0 NOT NULL,
    problems jsonb DEFAULT '[]'::jsonb NOT NULL,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT imports_data_check CHECK (((data IS NOT NULL) = (status = ANY (ARRAY['waiting'::text, 'running'::text])))),
    CONSTRAINT imports_problems_check CHECK ((jsonb_typeof(problems) = 'array'::text)),
    CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
ALTER TABLE ONLY imports ADD CONSTRAINT imports_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX imports_unfinished_idx ON imports USING btree (user_id) WHERE (status = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE INDEX imports_user_id_created_at_idx ON imports USING btree (user_id, created_at DESC);
CREATE INDEX imports_workspace_id_idx ON imports USING btree (workspace_id);
ALTER TABLE ONLY imports ADD CONSTRAINT imports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY imports ADD CONSTRAINT imports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
CREATE POLICY imports_delete ON imports FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY imports_insert ON imports FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id())))));
CREATE POLICY imports_no_visitor ON imports AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY imports_select ON imports FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY imports_update ON imports FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE imports TO leaf_app;
GRANT UPDATE (data, status, attempts, total, done, imported, known, refused, left_out, problems, failure, updated_at) ON TABLE imports TO leaf_app;

CREATE TABLE integrations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    provider integration_provider NOT NULL,
    status integration_status DEFAULT 'active'::integration_status NOT NULL,
    status_reason text,
    provider_account_email text,
    access_token text NOT NULL,
    refresh_token text,
    token_expires_at timestamp with time zone,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    status_key text,
    diagnosis jsonb,
    granted_at timestamp with time zone,
    grant_expires_at timestamp with time zone,
    CONSTRAINT integrations_diagnosis_check CHECK (((jsonb_typeof(diagnosis) = 'object'::text) AND (octet_length((diagnosis)::text) <= 8192)))
);
ALTER TABLE ONLY integrations ADD CONSTRAINT integrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY integrations ADD CONSTRAINT integrations_user_id_workspace_id_provider_key UNIQUE (user_id, workspace_id, provider);
CREATE INDEX integrations_workspace_id_idx ON integrations USING btree (workspace_id);
ALTER TABLE ONLY integrations ADD CONSTRAINT integrations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY integrations ADD CONSTRAINT integrations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY integrations_delete ON integrations FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY integrations_insert ON integrations FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id())))));
CREATE POLICY integrations_no_visitor ON integrations AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY integrations_select ON integrations FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY integrations_update ON integrations FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE integrations TO leaf_app;
GRANT UPDATE (status, status_reason, provider_account_email, access_token, refresh_token, token_expires_at, scopes, updated_at, status_key, diagnosis, granted_at, grant_expires_at) ON TABLE integrations TO leaf_app;

CREATE TABLE messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    role message_role NOT NULL,
    parts jsonb DEFAULT '[]'::jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    status message_status DEFAULT 'completed'::message_status NOT NULL,
    workflow_run_id uuid,
    user_id uuid,
    model text,
    model_messages jsonb,
    input_tokens integer,
    output_tokens integer,
    cache_read_tokens integer,
    cache_write_tokens integer,
    cost_usd numeric,
    error_code text,
    error_text text,
    "position" bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    thinking_tokens integer,
    requests integer,
    duration_ms integer,
    reserved_tokens bigint,
    reserved_usd numeric,
    answers jsonb,
    parent_id uuid,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    client_tools jsonb,
    client_calls jsonb,
    client_due_at timestamp with time zone,
    first_text_ms integer,
    responses jsonb,
    cold boolean DEFAULT false NOT NULL,
    CONSTRAINT messages_answers_check CHECK (((answers IS NULL) OR (jsonb_typeof(answers) = 'object'::text))),
    CONSTRAINT messages_client_calls_check CHECK (((client_calls IS NULL) OR (jsonb_typeof(client_calls) = 'object'::text))),
    CONSTRAINT messages_client_tools_check CHECK (((client_tools IS NULL) OR (jsonb_typeof(client_tools) = 'object'::text))),
    CONSTRAINT messages_file_parts_check CHECK ((NOT jsonb_path_exists(parts, '$[*]?((@."type" == "file" && !(@."mediaType".type() == "string" && @."url".type() == "string") || @."type" == "source-url" && !(@."sourceId".type() == "string" && @."url".type() == "string")) || @."type" == "source-document" && !((@."sourceId".type() == "string" && @."mediaType".type() == "string") && @."title".type() == "string"))'::jsonpath))),
    CONSTRAINT messages_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT messages_part_kinds_check CHECK ((NOT jsonb_path_exists(parts, '$[*]?((((!(@."type".type() == "string") || (@."type" == "text" || @."type" == "reasoning") && !(@."text".type() == "string")) || (@."type" starts with "tool-" || @."type" == "dynamic-tool") && !(@."toolCallId".type() == "string" && ((((((@."state" == "input-streaming" || @."state" == "input-available") || @."state" == "output-available") || @."state" == "output-error") || @."state" == "output-denied") || @."state" == "approval-requested") || @."state" == "approval-responded"))) || @."type" == "dynamic-tool" && !(@."toolName".type() == "string")) || @."type" starts with "data-" && !(exists (@."data")))'::jsonpath))),
    CONSTRAINT messages_parts_check CHECK ((jsonb_typeof(parts) = 'array'::text)),
    CONSTRAINT messages_responses_check CHECK (((responses IS NULL) OR (jsonb_typeof(responses) = 'array'::text))),
    CONSTRAINT messages_run_check CHECK (((role <> 'assistant'::message_role) OR (workflow_run_id IS NOT NULL)))
);
ALTER TABLE messages ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME messages_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY messages ADD CONSTRAINT messages_chat_session_id_id_key UNIQUE (chat_session_id, id);
ALTER TABLE ONLY messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY messages ADD CONSTRAINT messages_workflow_run_id_key UNIQUE (workflow_run_id);
CREATE INDEX messages_chat_session_id_position_idx ON messages USING btree (chat_session_id, "position");
CREATE INDEX messages_client_due_at_idx ON messages USING btree (client_due_at) WHERE (client_due_at IS NOT NULL);
CREATE INDEX messages_failed_chat_idx ON messages USING btree (chat_session_id) WHERE (status = 'error'::message_status);
CREATE INDEX messages_failed_idx ON messages USING btree (updated_at) WHERE (status = 'error'::message_status);
CREATE INDEX messages_open_idx ON messages USING btree (chat_session_id) WHERE (status <> ALL (ARRAY['completed'::message_status, 'error'::message_status, 'stopped'::message_status]));
CREATE INDEX messages_parent_id_idx ON messages USING btree (parent_id);
CREATE INDEX messages_unfinished_idx ON messages USING btree (run_at) WHERE (status = ANY (ARRAY['pending'::message_status, 'streaming'::message_status]));
CREATE INDEX messages_user_id_idx ON messages USING btree (user_id);
ALTER TABLE ONLY messages ADD CONSTRAINT messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY messages ADD CONSTRAINT messages_parent_id_fkey FOREIGN KEY (chat_session_id, parent_id) REFERENCES messages(chat_session_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY messages ADD CONSTRAINT messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
CREATE TRIGGER messages_answer_usage AFTER UPDATE OF status ON messages FOR EACH ROW WHEN (((new.role = 'assistant'::message_role) AND (new.user_id IS NOT NULL) AND (old.status = ANY (ARRAY['pending'::message_status, 'streaming'::message_status])) AND (new.status <> ALL (ARRAY['pending'::message_status, 'streaming'::message_status])))) EXECUTE FUNCTION leaf_answer_usage();
CREATE TRIGGER messages_chat_activity AFTER INSERT OR UPDATE OF parts ON messages FOR EACH ROW EXECUTE FUNCTION leaf_chat_activity();
CREATE TRIGGER messages_chat_marks AFTER INSERT OR DELETE OR UPDATE OF status ON messages FOR EACH ROW EXECUTE FUNCTION leaf_chat_marks();
CREATE TRIGGER messages_follow_quotes AFTER INSERT OR UPDATE OF parts ON messages FOR EACH ROW WHEN (((new.role = 'assistant'::message_role) AND (NOT new.cold))) EXECUTE FUNCTION leaf_follow_quotes();
CREATE TRIGGER messages_keep_words AFTER INSERT OR UPDATE OF parts ON messages FOR EACH ROW EXECUTE FUNCTION leaf_keep_words();
CREATE TRIGGER messages_parent BEFORE INSERT ON messages FOR EACH ROW WHEN ((new.parent_id IS NOT NULL)) EXECUTE FUNCTION leaf_message_parent();
CREATE TRIGGER messages_run_begins BEFORE UPDATE OF workflow_run_id ON messages FOR EACH ROW WHEN ((old.workflow_run_id IS DISTINCT FROM new.workflow_run_id)) EXECUTE FUNCTION leaf_run_begins();
CREATE TRIGGER messages_warm_a BEFORE UPDATE OF parts ON messages FOR EACH ROW WHEN ((old.cold AND new.cold)) EXECUTE FUNCTION leaf_warm_message('parts');
CREATE TRIGGER messages_warm_b BEFORE UPDATE OF model_messages ON messages FOR EACH ROW WHEN ((old.cold AND new.cold)) EXECUTE FUNCTION leaf_warm_message('model_messages');
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY messages_insert ON messages FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
CREATE POLICY messages_select ON messages FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY messages_update ON messages FOR UPDATE TO leaf_app USING (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id))) WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
GRANT SELECT,INSERT ON TABLE messages TO leaf_app;
GRANT UPDATE (parts, metadata, status, workflow_run_id, model, model_messages, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, error_code, error_text, updated_at, thinking_tokens, requests, duration_ms, reserved_tokens, reserved_usd, answers, client_tools, client_calls, client_due_at, first_text_ms, responses) ON TABLE messages TO leaf_app;

CREATE TABLE projects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    instructions text DEFAULT ''::text NOT NULL,
    scope jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT projects_instructions_check CHECK ((char_length(instructions) <= 4000)),
    CONSTRAINT projects_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT projects_scope_check CHECK (((jsonb_typeof(scope) = 'object'::text) AND (octet_length((scope)::text) <= 65536)))
);
ALTER TABLE ONLY projects ADD CONSTRAINT projects_id_user_id_key UNIQUE (id, user_id);
ALTER TABLE ONLY projects ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
CREATE INDEX projects_user_id_idx ON projects USING btree (user_id);
ALTER TABLE ONLY projects ADD CONSTRAINT projects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY projects_delete ON projects FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY projects_insert ON projects FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY projects_no_visitor ON projects AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY projects_select ON projects FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY projects_update ON projects FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE projects TO leaf_app;
GRANT UPDATE (name, instructions, scope, updated_at) ON TABLE projects TO leaf_app;

CREATE TABLE provider_logs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid NOT NULL,
    run_id uuid NOT NULL,
    number integer NOT NULL,
    address text NOT NULL,
    status integer,
    latency_ms integer NOT NULL,
    request text NOT NULL,
    request_bytes bigint NOT NULL,
    response text NOT NULL,
    response_bytes bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT provider_logs_address_check CHECK ((char_length(address) <= 500)),
    CONSTRAINT provider_logs_request_check CHECK ((octet_length(request) <= 262144)),
    CONSTRAINT provider_logs_response_check CHECK ((octet_length(response) <= 262144))
);
ALTER TABLE ONLY provider_logs ADD CONSTRAINT provider_logs_pkey PRIMARY KEY (id);
CREATE INDEX provider_logs_chat_session_id_created_at_idx ON provider_logs USING btree (chat_session_id, created_at);
CREATE INDEX provider_logs_expires_at_idx ON provider_logs USING btree (expires_at);
CREATE INDEX provider_logs_message_id_idx ON provider_logs USING btree (message_id);
CREATE INDEX provider_logs_tenant_id_agent_id_idx ON provider_logs USING btree (tenant_id, agent_id);
ALTER TABLE ONLY provider_logs ADD CONSTRAINT provider_logs_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY provider_logs ADD CONSTRAINT provider_logs_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY provider_logs ADD CONSTRAINT provider_logs_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE provider_logs ENABLE ROW LEVEL SECURITY;
CREATE POLICY provider_logs_insert ON provider_logs FOR INSERT TO leaf_app WITH CHECK (leaf_may_log(tenant_id, agent_id, chat_session_id, message_id));
CREATE POLICY provider_logs_select ON provider_logs FOR SELECT TO leaf_app USING (((expires_at > now()) AND (EXISTS ( SELECT
   FROM leaf_tenant_chat(provider_logs.chat_session_id) leaf_tenant_chat(agent_id, title, kind, subject, context, started_at, active_at, archived, metadata)))));
GRANT SELECT,INSERT ON TABLE provider_logs TO leaf_app;

CREATE TABLE queued_messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    parts jsonb NOT NULL,
    search_mode text NOT NULL,
    model_type text NOT NULL,
    problem text,
    "position" bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    model text,
    CONSTRAINT queued_messages_parts_check CHECK ((jsonb_typeof(parts) = 'array'::text))
);
ALTER TABLE queued_messages ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME queued_messages_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY queued_messages ADD CONSTRAINT queued_messages_pkey PRIMARY KEY (id);
CREATE INDEX queued_messages_chat_session_id_position_idx ON queued_messages USING btree (chat_session_id, "position");
CREATE INDEX queued_messages_user_id_idx ON queued_messages USING btree (user_id);
ALTER TABLE ONLY queued_messages ADD CONSTRAINT queued_messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY queued_messages ADD CONSTRAINT queued_messages_participant_fkey FOREIGN KEY (chat_session_id, user_id) REFERENCES chat_participants(chat_session_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY queued_messages ADD CONSTRAINT queued_messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE queued_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY queued_messages_delete ON queued_messages FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY queued_messages_insert ON queued_messages FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
CREATE POLICY queued_messages_select ON queued_messages FOR SELECT TO leaf_app USING (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
CREATE POLICY queued_messages_update ON queued_messages FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE queued_messages TO leaf_app;
GRANT UPDATE (parts, problem) ON TABLE queued_messages TO leaf_app;

CREATE TABLE search_words (
    id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid,
    "position" bigint NOT NULL,
    words tsvector NOT NULL
);
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_pkey PRIMARY KEY (id);
CREATE INDEX search_words_chat_session_id_position_idx ON search_words USING btree (chat_session_id, "position" DESC);
CREATE INDEX search_words_words_idx ON search_words USING gin (words) WITH (fastupdate=off);
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE search_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY search_words_select ON search_words FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
GRANT SELECT ON TABLE search_words TO leaf_app;

CREATE TABLE security_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid,
    kind text NOT NULL,
    about text DEFAULT ''::text NOT NULL,
    network cidr,
    user_agent text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT security_events_about_check CHECK ((char_length(about) <= 100)),
    CONSTRAINT security_events_kind_check CHECK ((kind ~ '^[a-z][a-z_]{1,40}$'::text)),
    CONSTRAINT security_events_network_check CHECK ((masklen((network)::inet) <=
CASE family((network)::inet)
    WHEN 4 THEN 24
    ELSE 64
END)),
    CONSTRAINT security_events_user_agent_check CHECK ((char_length(user_agent) <= 120))
);
ALTER TABLE ONLY security_events ADD CONSTRAINT security_events_pkey PRIMARY KEY (id);
CREATE INDEX security_events_created_at_idx ON security_events USING btree (created_at DESC);
CREATE INDEX security_events_user_id_idx ON security_events USING btree (user_id, created_at DESC);
ALTER TABLE ONLY security_events ADD CONSTRAINT security_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE security_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY security_events_insert ON security_events FOR INSERT TO leaf_app WITH CHECK ((NOT (user_id IS DISTINCT FROM ( SELECT leaf_user_id() AS leaf_user_id))));
CREATE POLICY security_events_select ON security_events FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT ON TABLE security_events TO leaf_app;
GRANT INSERT (id, user_id, kind, about, network, user_agent) ON TABLE security_events TO leaf_app;

CREATE TABLE sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    user_agent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);
CREATE INDEX sessions_user_id_idx ON sessions USING btree (user_id);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_delete ON sessions FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY sessions_insert ON sessions FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY sessions_no_visitor ON sessions AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY sessions_select ON sessions FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE sessions TO leaf_app;

CREATE TABLE signing_secrets (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    hint text NOT NULL,
    sealed text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT signing_secrets_hint_check CHECK ((char_length(hint) <= 24))
);
ALTER TABLE ONLY signing_secrets ADD CONSTRAINT signing_secrets_pkey PRIMARY KEY (id);
CREATE INDEX signing_secrets_tenant_id_idx ON signing_secrets USING btree (tenant_id);
ALTER TABLE ONLY signing_secrets ADD CONSTRAINT signing_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE signing_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY signing_secrets_delete ON signing_secrets FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_insert ON signing_secrets FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_select ON signing_secrets FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_update ON signing_secrets FOR UPDATE TO leaf_app USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE signing_secrets TO leaf_app;
GRANT UPDATE (sealed, expires_at) ON TABLE signing_secrets TO leaf_app;

CREATE TABLE tenant_invitations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    created_by uuid NOT NULL,
    token_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY tenant_invitations ADD CONSTRAINT tenant_invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenant_invitations ADD CONSTRAINT tenant_invitations_token_hash_key UNIQUE (token_hash);
CREATE INDEX tenant_invitations_created_by_idx ON tenant_invitations USING btree (created_by);
CREATE INDEX tenant_invitations_tenant_id_idx ON tenant_invitations USING btree (tenant_id);
ALTER TABLE ONLY tenant_invitations ADD CONSTRAINT tenant_invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenant_invitations ADD CONSTRAINT tenant_invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE tenant_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_invitations_delete ON tenant_invitations FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY tenant_invitations_insert ON tenant_invitations FOR INSERT TO leaf_app WITH CHECK ((leaf_is_member(tenant_id) AND (created_by = ( SELECT leaf_user_id() AS leaf_user_id))));
CREATE POLICY tenant_invitations_select ON tenant_invitations FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
GRANT SELECT,INSERT,DELETE ON TABLE tenant_invitations TO leaf_app;

CREATE TABLE tenant_members (
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL,
    alerts_seen_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY tenant_members ADD CONSTRAINT tenant_members_pkey PRIMARY KEY (tenant_id, user_id);
CREATE INDEX tenant_members_user_id_idx ON tenant_members USING btree (user_id);
ALTER TABLE ONLY tenant_members ADD CONSTRAINT tenant_members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenant_members ADD CONSTRAINT tenant_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER tenant_members_left AFTER DELETE ON tenant_members FOR EACH ROW EXECUTE FUNCTION leaf_tenant_left();
ALTER TABLE tenant_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_members_delete ON tenant_members FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY tenant_members_select ON tenant_members FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY tenant_members_update ON tenant_members FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,DELETE ON TABLE tenant_members TO leaf_app;
GRANT UPDATE (alerts_seen_at) ON TABLE tenant_members TO leaf_app;

CREATE TABLE tenants (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    monthly_tokens bigint,
    monthly_usd numeric,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tenants_monthly_tokens_check CHECK ((monthly_tokens > 0)),
    CONSTRAINT tenants_monthly_usd_check CHECK ((monthly_usd > (0)::numeric)),
    CONSTRAINT tenants_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80)))
);
ALTER TABLE ONLY tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenants ADD CONSTRAINT tenants_workspace_id_key UNIQUE (workspace_id);
ALTER TABLE ONLY tenants ADD CONSTRAINT tenants_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
CREATE TRIGGER tenants_deleted AFTER DELETE ON tenants FOR EACH ROW EXECUTE FUNCTION leaf_tenant_deleted();
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants_delete ON tenants FOR DELETE TO leaf_app USING (leaf_is_member(id));
CREATE POLICY tenants_select ON tenants FOR SELECT TO leaf_app USING (leaf_is_member(id));
CREATE POLICY tenants_update ON tenants FOR UPDATE TO leaf_app USING (leaf_is_member(id)) WITH CHECK (leaf_is_member(id));
GRANT SELECT,DELETE ON TABLE tenants TO leaf_app;
GRANT UPDATE (name, monthly_tokens, monthly_usd, updated_at) ON TABLE tenants TO leaf_app;

CREATE TABLE usage_entries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    run_id uuid NOT NULL,
    purpose text NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid,
    chat_session_id uuid,
    message_id uuid,
    day date DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date NOT NULL,
    model text NOT NULL,
    requests integer DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    thinking_tokens bigint DEFAULT 0 NOT NULL,
    cost_usd numeric,
    duration_ms integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    first_text_ms integer,
    failed boolean DEFAULT false NOT NULL,
    CONSTRAINT usage_entries_amounts_check CHECK ((LEAST((requests)::numeric, (input_tokens)::numeric, (output_tokens)::numeric, (cache_read_tokens)::numeric, (cache_write_tokens)::numeric, (thinking_tokens)::numeric, cost_usd) >= (0)::numeric)),
    CONSTRAINT usage_entries_purpose_check CHECK ((purpose = ANY (ARRAY['answer'::text, 'title'::text, 'related'::text, 'summary'::text, 'plan'::text])))
);
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_run_id_purpose_user_id_key UNIQUE (run_id, purpose, user_id);
CREATE INDEX usage_entries_chat_session_id_idx ON usage_entries USING btree (chat_session_id);
CREATE INDEX usage_entries_message_id_idx ON usage_entries USING btree (message_id);
CREATE INDEX usage_entries_user_id_day_idx ON usage_entries USING btree (user_id, day);
CREATE INDEX usage_entries_workspace_id_day_idx ON usage_entries USING btree (workspace_id, day);
CREATE INDEX usage_entries_workspace_id_idx ON usage_entries USING btree (workspace_id);
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE SET NULL;
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE SET NULL;
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY usage_entries ADD CONSTRAINT usage_entries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE SET NULL;
ALTER TABLE usage_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY usage_entries_insert ON usage_entries FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND ((workspace_id IS NULL) OR (workspace_id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id())))) AND ((chat_session_id IS NULL) OR leaf_is_participant(chat_session_id)) AND ((message_id IS NULL) OR (EXISTS ( SELECT
   FROM messages m
  WHERE ((m.id = usage_entries.message_id) AND (m.chat_session_id = usage_entries.chat_session_id)))))));
CREATE POLICY usage_entries_select ON usage_entries FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT ON TABLE usage_entries TO leaf_app;

CREATE TABLE user_settings (
    user_id uuid NOT NULL,
    search_mode text,
    model_type text,
    instructions text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    keeps_texts boolean DEFAULT true NOT NULL,
    CONSTRAINT user_settings_instructions_check CHECK ((char_length(instructions) <= 2000))
);
ALTER TABLE ONLY user_settings ADD CONSTRAINT user_settings_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY user_settings ADD CONSTRAINT user_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE user_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_settings_insert ON user_settings FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY user_settings_select ON user_settings FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY user_settings_update ON user_settings FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT ON TABLE user_settings TO leaf_app;
GRANT UPDATE (search_mode, model_type, instructions, updated_at, keeps_texts) ON TABLE user_settings TO leaf_app;

CREATE TABLE users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    picture_url text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    display_name character varying(80),
    CONSTRAINT users_display_name_check CHECK (((display_name)::text ~ '\S'::text))
);
ALTER TABLE ONLY users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX users_lower_email_idx ON users USING btree (lower(email));
CREATE TRIGGER users_deleted AFTER DELETE ON users FOR EACH ROW WHEN ((old.email <> ''::text)) EXECUTE FUNCTION leaf_account_deleted();
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_select ON users FOR SELECT TO leaf_app USING ((id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY users_update ON users FOR UPDATE TO leaf_app USING ((id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT ON TABLE users TO leaf_app;
GRANT UPDATE (name, picture_url, updated_at, display_name) ON TABLE users TO leaf_app;

CREATE TABLE visitors (
    user_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT visitors_kind_check CHECK ((kind = ANY (ARRAY['session'::text, 'trusted'::text, 'signed'::text, 'member'::text]))),
    CONSTRAINT visitors_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)))
);
ALTER TABLE ONLY visitors ADD CONSTRAINT visitors_agent_id_kind_subject_key UNIQUE (agent_id, kind, subject);
ALTER TABLE ONLY visitors ADD CONSTRAINT visitors_pkey PRIMARY KEY (user_id);
CREATE INDEX visitors_tenant_id_agent_id_idx ON visitors USING btree (tenant_id, agent_id);
ALTER TABLE ONLY visitors ADD CONSTRAINT visitors_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY visitors ADD CONSTRAINT visitors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER visitors_deleted AFTER DELETE ON visitors FOR EACH ROW EXECUTE FUNCTION leaf_visitor_deleted();
ALTER TABLE visitors ENABLE ROW LEVEL SECURITY;
CREATE POLICY visitors_select ON visitors FOR SELECT TO leaf_app USING (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) OR leaf_is_member(tenant_id)));
GRANT SELECT ON TABLE visitors TO leaf_app;

CREATE TABLE watches (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    question_id uuid NOT NULL,
    kind text NOT NULL,
    every text NOT NULL,
    looked_at timestamp with time zone NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    asking boolean DEFAULT false NOT NULL,
    answer_id uuid,
    asked_at timestamp with time zone,
    problem text DEFAULT ''::text NOT NULL,
    news_at timestamp with time zone,
    ended_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    mailed_at timestamp with time zone,
    CONSTRAINT watches_every_check CHECK ((every = ANY (ARRAY['day'::text, 'week'::text]))),
    CONSTRAINT watches_kind_check CHECK ((kind = ANY (ARRAY['change'::text, 'appear'::text])))
);
ALTER TABLE ONLY watches ADD CONSTRAINT watches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY watches ADD CONSTRAINT watches_user_id_question_id_key UNIQUE (user_id, question_id);
CREATE INDEX watches_answer_id_idx ON watches USING btree (answer_id);
CREATE INDEX watches_chat_session_id_idx ON watches USING btree (chat_session_id, question_id);
CREATE INDEX watches_due_idx ON watches USING btree (next_at) WHERE (ended_at IS NULL);
CREATE INDEX watches_unmailed_idx ON watches USING btree (user_id) WHERE ((news_at IS NOT NULL) AND (mailed_at IS DISTINCT FROM news_at));
CREATE INDEX watches_workspace_id_idx ON watches USING btree (workspace_id);
ALTER TABLE ONLY watches ADD CONSTRAINT watches_answer_id_fkey FOREIGN KEY (chat_session_id, answer_id) REFERENCES messages(chat_session_id, id) ON DELETE SET NULL (answer_id);
ALTER TABLE ONLY watches ADD CONSTRAINT watches_participant_fkey FOREIGN KEY (chat_session_id, user_id) REFERENCES chat_participants(chat_session_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY watches ADD CONSTRAINT watches_question_id_fkey FOREIGN KEY (chat_session_id, question_id) REFERENCES messages(chat_session_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY watches ADD CONSTRAINT watches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY watches ADD CONSTRAINT watches_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE watches ENABLE ROW LEVEL SECURITY;
CREATE POLICY watches_delete ON watches FOR DELETE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY watches_insert ON watches FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT leaf_user_id() AS leaf_user_id)) AND leaf_is_participant(chat_session_id)));
CREATE POLICY watches_no_visitor ON watches AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT leaf_is_visitor()));
CREATE POLICY watches_select ON watches FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
CREATE POLICY watches_update ON watches FOR UPDATE TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT,INSERT,DELETE ON TABLE watches TO leaf_app;
GRANT UPDATE (kind, every, looked_at, next_at, attempt, asking, answer_id, asked_at, problem, news_at, ended_at, mailed_at) ON TABLE watches TO leaf_app;

CREATE TABLE widget_chats (
    chat_session_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    context jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    active_at timestamp with time zone DEFAULT now() NOT NULL,
    listed boolean DEFAULT false NOT NULL,
    CONSTRAINT widget_chats_context_check CHECK (((jsonb_typeof(context) = 'object'::text) AND (pg_column_size(context) <= 40000)))
);
ALTER TABLE ONLY widget_chats ADD CONSTRAINT widget_chats_pkey PRIMARY KEY (chat_session_id);
CREATE INDEX widget_chats_listed_idx ON widget_chats USING btree (agent_id, active_at DESC, chat_session_id DESC) WHERE listed;
CREATE INDEX widget_chats_tenant_id_agent_id_created_at_idx ON widget_chats USING btree (tenant_id, agent_id, created_at DESC);
ALTER TABLE ONLY widget_chats ADD CONSTRAINT widget_chats_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY widget_chats ADD CONSTRAINT widget_chats_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE;
CREATE TRIGGER widget_chats_marks BEFORE INSERT ON widget_chats FOR EACH ROW EXECUTE FUNCTION leaf_widget_chat_marks();
ALTER TABLE widget_chats ENABLE ROW LEVEL SECURITY;
CREATE POLICY widget_chats_insert ON widget_chats FOR INSERT TO leaf_app WITH CHECK ((leaf_is_creator(chat_session_id) AND ((tenant_id, agent_id) IN ( SELECT v.tenant_id,
    v.agent_id
   FROM visitors v
  WHERE (v.user_id = leaf_user_id())))));
CREATE POLICY widget_chats_select ON widget_chats FOR SELECT TO leaf_app USING ((leaf_is_participant(chat_session_id) OR leaf_is_member(tenant_id)));
CREATE POLICY widget_chats_update ON widget_chats FOR UPDATE TO leaf_app USING (leaf_is_participant(chat_session_id)) WITH CHECK (leaf_is_participant(chat_session_id));
GRANT SELECT,INSERT ON TABLE widget_chats TO leaf_app;
GRANT UPDATE (context) ON TABLE widget_chats TO leaf_app;

CREATE TABLE workspace_members (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY workspace_members ADD CONSTRAINT workspace_members_pkey PRIMARY KEY (workspace_id, user_id);
CREATE INDEX workspace_members_user_id_idx ON workspace_members USING btree (user_id);
ALTER TABLE ONLY workspace_members ADD CONSTRAINT workspace_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ONLY workspace_members ADD CONSTRAINT workspace_members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE workspace_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_members_select ON workspace_members FOR SELECT TO leaf_app USING ((user_id = ( SELECT leaf_user_id() AS leaf_user_id)));
GRANT SELECT ON TABLE workspace_members TO leaf_app;

CREATE TABLE workspaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name character varying(255) NOT NULL,
    personal_user_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY workspaces ADD CONSTRAINT workspaces_personal_user_id_key UNIQUE (personal_user_id);
ALTER TABLE ONLY workspaces ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY workspaces ADD CONSTRAINT workspaces_personal_user_id_fkey FOREIGN KEY (personal_user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_select ON workspaces FOR SELECT TO leaf_app USING ((id IN ( SELECT m.workspace_id
   FROM workspace_members m
  WHERE (m.user_id = leaf_user_id()))));
GRANT SELECT ON TABLE workspaces TO leaf_app;

CREATE FUNCTION leaf_accept_invitation(invitation uuid) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH accepted AS (
        DELETE FROM chat_invitations i USING users me, chat_sessions c
        WHERE i.id = invitation AND me.id = leaf_user_id() AND i.email = lower(me.email) AND i.declined_at IS NULL
            AND c.id = i.chat_session_id AND c.deleted_at IS NULL
        RETURNING i.chat_session_id, me.id AS user_id
    ), joined AS (
        INSERT INTO chat_participants (chat_session_id, user_id) SELECT chat_session_id, user_id FROM accepted
        ON CONFLICT DO NOTHING
    )
    SELECT chat_session_id FROM accepted
$$;
REVOKE ALL ON FUNCTION leaf_accept_invitation(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_accept_invitation(invitation uuid) TO leaf_app;

CREATE FUNCTION leaf_account_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO security_events (kind) VALUES ('account_deleted');
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_account_deleted() FROM PUBLIC;

CREATE FUNCTION leaf_admin_drives() RETURNS TABLE(cause text, members bigint, link text, accounts text[], particulars jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT i.diagnosis->>'cause', count(DISTINCT i.user_id), max(i.diagnosis->'particulars'->>'link'),
        (array_agg(DISTINCT coalesce(i.provider_account_email, u.email)::text))[1:5],
        (array_agg(i.diagnosis->'particulars' ORDER BY i.diagnosis->>'at' DESC))[1]
    FROM integrations i JOIN users u ON u.id = i.user_id
    WHERE i.diagnosis IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_drives() TO leaf_app;

CREATE FUNCTION leaf_admin_failures(most integer) RETURNS TABLE(run_id uuid, ended_at timestamp with time zone, error_code text, model text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT m.workflow_run_id, m.updated_at, m.error_code, m.model FROM messages m
    WHERE m.status = 'error' AND m.role = 'assistant' ORDER BY m.updated_at DESC LIMIT leaf_admin_failures.most;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_failures(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_failures(most integer) TO leaf_app;

CREATE FUNCTION leaf_admin_feedback(wanted text, most integer) RETURNS TABLE(id uuid, created_at timestamp with time zone, sentiment text, comment text, page text, user_agent text, email text, run_id uuid, model text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        f.id, f.updated_at, f.sentiment, f.comment, f.page, f.user_agent, u.email, f.run_id, m.model
    FROM feedback f LEFT JOIN users u ON u.id = f.user_id LEFT JOIN messages m ON m.workflow_run_id = f.run_id
    WHERE CASE leaf_admin_feedback.wanted
        WHEN 'all' THEN true
        WHEN 'comment' THEN f.comment <> ''
        ELSE f.sentiment = leaf_admin_feedback.wanted
    END
    ORDER BY f.updated_at DESC LIMIT leaf_admin_feedback.most;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_feedback(wanted text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_feedback(wanted text, most integer) TO leaf_app;

CREATE FUNCTION leaf_admin_health() RETURNS TABLE(server_version text, revision text, size_bytes bigint, unfinished bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        current_setting('server_version'), (SELECT string_agg(v.version_num, ', ') FROM alembic_version v),
        pg_database_size(current_database()),
        (SELECT count(*) FROM messages m WHERE m.status IN ('pending', 'streaming'));
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_health() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_health() TO leaf_app;

CREATE FUNCTION leaf_admin_security_events(most integer) RETURNS TABLE(id uuid, created_at timestamp with time zone, kind text, about text, network text, user_agent text, email text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT e.id, e.created_at, e.kind, e.about, e.network::text, e.user_agent, u.email::text
    FROM security_events e LEFT JOIN users u ON u.id = e.user_id
    ORDER BY e.created_at DESC, e.id LIMIT leaf_admin_security_events.most;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_security_events(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_security_events(most integer) TO leaf_app;

CREATE FUNCTION leaf_admin_usage(since date) RETURNS TABLE(day date, people bigint, requests numeric, tokens numeric, cost_usd numeric)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        e.day, count(DISTINCT e.user_id), sum(e.requests)::numeric, sum(e.input_tokens + e.output_tokens),
        coalesce(sum(e.cost_usd), 0)
    FROM usage_entries e WHERE e.day >= leaf_admin_usage.since GROUP BY e.day ORDER BY e.day;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_usage(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_usage(since date) TO leaf_app;

CREATE FUNCTION leaf_admin_users(since date) RETURNS TABLE(user_id uuid, name text, email text, created_at timestamp with time zone, last_seen_at timestamp with time zone, chats bigint, tokens numeric, cost_usd numeric)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        u.id, coalesce(u.display_name, u.name)::text, u.email, u.created_at,
        (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id),
        (SELECT count(*) FROM chat_participants p WHERE p.user_id = u.id),
        coalesce(used.tokens, 0), coalesce(used.cost_usd, 0)
    FROM users u
    LEFT JOIN (
        SELECT e.user_id AS used_by, sum(e.input_tokens + e.output_tokens) AS tokens, sum(e.cost_usd) AS cost_usd
        FROM usage_entries e WHERE e.day >= leaf_admin_users.since GROUP BY e.user_id
    ) used ON used.used_by = u.id
    WHERE NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = u.id)
    ORDER BY 7 DESC, u.created_at DESC
    LIMIT 1000;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_users(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_users(since date) TO leaf_app;

CREATE FUNCTION leaf_agent_mark(chat uuid) RETURNS tsvector
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT coalesce(
        (SELECT array_to_tsvector(ARRAY['@a' || w.agent_id::text]) FROM widget_chats w WHERE w.chat_session_id = chat),
        ''::tsvector
    )
$$;
REVOKE ALL ON FUNCTION leaf_agent_mark(chat uuid) FROM PUBLIC;

CREATE FUNCTION leaf_agent_of_chat(chat uuid) RETURNS TABLE(agent jsonb, context jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT to_jsonb(a), w.context FROM widget_chats w JOIN agents a ON a.id = w.agent_id
    WHERE w.chat_session_id = leaf_agent_of_chat.chat AND leaf_is_participant(w.chat_session_id)
$$;
REVOKE ALL ON FUNCTION leaf_agent_of_chat(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_agent_of_chat(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_answer_usage() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    went_on boolean := OLD.answers IS NOT NULL;
BEGIN
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms, first_text_ms,
        failed
    )
    SELECT
        NEW.workflow_run_id, 'answer', NEW.user_id, leaf_workspace_in(c.id), c.id, NEW.id, coalesce(NEW.model, ''),
        leaf_more(NEW.requests, OLD.requests, went_on), leaf_more(NEW.input_tokens, OLD.input_tokens, went_on),
        leaf_more(NEW.output_tokens, OLD.output_tokens, went_on),
        leaf_more(NEW.cache_read_tokens, OLD.cache_read_tokens, went_on),
        leaf_more(NEW.cache_write_tokens, OLD.cache_write_tokens, went_on),
        leaf_more(NEW.thinking_tokens, OLD.thinking_tokens, went_on),
        CASE WHEN NEW.cost_usd IS NOT NULL THEN leaf_more(NEW.cost_usd, OLD.cost_usd, went_on) END, NEW.duration_ms,
        NEW.first_text_ms, NEW.status = 'error'
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_answer_usage() FROM PUBLIC;

CREATE FUNCTION leaf_api_key(token_hash text) RETURNS TABLE(key_id uuid, user_id uuid, workspace_id uuid, scopes text[], last_used_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT k.id, k.user_id, w.workspace_id, k.scopes, k.last_used_at
    FROM api_keys k
    CROSS JOIN LATERAL (
        SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = k.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE k.token_hash = leaf_api_key.token_hash AND (k.expires_at IS NULL OR k.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_api_key(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_api_key(token_hash text) TO leaf_app;

CREATE FUNCTION leaf_changed_files(since timestamp with time zone, answer uuid) RETURNS TABLE(file_id text, changed_at timestamp with time zone, ready boolean, cited boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.file_id, greatest(s.changed_at, t.settled_at), coalesce(t.state IN ('read', 'skipped'), false)
        OR s.changed_at < now() - interval '6 hours', c.cited
    FROM messages m
    CROSS JOIN (
        SELECT d.file_id, d.revision FROM drive_sight d WHERE d.user_id = leaf_user_id() AND d.changed_at > since
        UNION SELECT x.file_id, x.revision FROM drive_texts x WHERE x.settled_at > since
    ) moved
    JOIN drive_sight s ON s.user_id = leaf_user_id() AND s.file_id = moved.file_id AND s.revision = moved.revision
    LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM citations q WHERE q.message_id = m.id AND q.file_id = s.file_id) AS cited,
            t.settled_at > greatest(since, m.created_at) AND (
                t.late AND t.state = 'read' OR s.arrived_at > to_timestamp(0) OR s.modified_at > (
                    SELECT f.created_at FROM drive_feeds f WHERE f.user_id = s.user_id AND f.drive_id = s.feed
                )
            ) AS came
    ) c
    WHERE m.id = answer AND leaf_is_participant(m.chat_session_id)
        AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
        AND (s.arrived_at > since OR t.id IS NULL OR t.created_at > m.created_at OR c.came AND NOT c.cited)
        AND CASE WHEN c.cited THEN EXISTS (
            SELECT FROM (
                SELECT q.file_id, q.revision FROM leaf_followed_quotes(leaf_parts(m)) q
                UNION SELECT f.file_id, f.revision FROM leaf_followed_figures(leaf_parts(m)) f
            ) given
            WHERE given.file_id = s.file_id
                AND CASE WHEN given.revision = '' THEN s.modified_at > m.created_at ELSE given.revision <> s.revision END
        ) ELSE c.came OR s.arrived_at > since OR s.modified_at > m.created_at END
$$;
REVOKE ALL ON FUNCTION leaf_changed_files(since timestamp with time zone, answer uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_changed_files(since timestamp with time zone, answer uuid) TO leaf_app;

CREATE FUNCTION leaf_chat_activity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    grown bigint := pg_column_size(NEW.parts) + coalesce(pg_column_size(NEW.model_messages), 0);
BEGIN
    IF NEW.cold THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        UPDATE chat_sessions c SET
            updated_at = now(),
            content_bytes = c.content_bytes + grown,
            title = coalesce(
                c.title,
                CASE WHEN NEW.role = 'user' THEN
                    nullif(left(trim(regexp_replace(NEW.parts -> 0 ->> 'text', '\s+', ' ', 'g')), 80), '')
                END
            )
            WHERE c.id = NEW.chat_session_id;
    ELSE
        IF NOT OLD.cold THEN
            grown := grown - pg_column_size(OLD.parts) - coalesce(pg_column_size(OLD.model_messages), 0);
        ELSE
            grown := 0;
        END IF;
        UPDATE chat_sessions c SET
            updated_at = now(),
            content_bytes = greatest(0, c.content_bytes + grown),
            used_drive = c.used_drive OR jsonb_path_exists(
                NEW.parts,
                '$[*].type ? (@ == "tool-list_drive_folder" || @ == "tool-read_drive_file" || @ == "tool-search_drive"
                    || @ == "tool-search_files")'
            )
            WHERE c.id = NEW.chat_session_id;
    END IF;
    RETURN NULL;
END
$_$;
REVOKE ALL ON FUNCTION leaf_chat_activity() FROM PUBLIC;

CREATE FUNCTION leaf_chat_listing() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE chat_participants p SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE p.chat_session_id = NEW.id;
    UPDATE widget_chats w SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE w.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_chat_listing() FROM PUBLIC;

CREATE FUNCTION leaf_chat_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    chat uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.chat_session_id ELSE NEW.chat_session_id END;
    ended boolean := false;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        ended := NEW.role = 'assistant' AND OLD.status IN ('pending', 'streaming')
            AND NEW.status NOT IN ('pending', 'streaming');
    ELSIF TG_OP = 'INSERT' AND NEW.role = 'user' THEN
        UPDATE chat_participants p SET archived_at = NULL
            WHERE p.chat_session_id = chat AND p.user_id = NEW.user_id AND p.archived_at IS NOT NULL;
    END IF;
    UPDATE chat_sessions c SET
        begun = c.begun OR TG_OP = 'INSERT',
        running = open.running,
        waiting = open.waiting,
        answered_at = CASE WHEN ended THEN clock_timestamp() ELSE c.answered_at END
        FROM (
            SELECT
                coalesce(bool_or(m.status <> 'waiting'), false) AS running,
                coalesce(bool_or(m.status = 'waiting'), false) AS waiting
            FROM messages m
            WHERE m.chat_session_id = chat AND m.status NOT IN ('completed', 'error', 'stopped')
        ) open
        WHERE c.id = chat
        AND (ended OR (c.begun, c.running, c.waiting) IS DISTINCT FROM
            (c.begun OR TG_OP = 'INSERT', open.running, open.waiting));
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_chat_marks() FROM PUBLIC;

CREATE FUNCTION leaf_chunk_words(language text, heading text, body text) RETURNS tsvector
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT setweight(to_tsvector(language::regconfig, heading) || to_tsvector('simple', heading), 'A')
        || to_tsvector(language::regconfig, body)
        || CASE WHEN language = 'simple' THEN '' ELSE ts_delete(
            to_tsvector('simple', body), ARRAY(
                SELECT w.lexeme FROM unnest(to_tsvector('simple', body)) w
                WHERE ts_lexize((language || '_stem')::regdictionary, w.lexeme) = '{}'
            )
        ) END
$$;
REVOKE ALL ON FUNCTION leaf_chunk_words(language text, heading text, body text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_chunk_words(language text, heading text, body text) TO leaf_app;

CREATE FUNCTION leaf_cool_chats(older_than interval, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    moved bigint;
BEGIN
    WITH old AS (
        SELECT m.id FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
        WHERE NOT m.cold AND m.status IN ('completed', 'error', 'stopped') AND c.deleted_at IS NULL
            AND c.updated_at <= now() - leaf_cool_chats.older_than
        LIMIT leaf_cool_chats.most FOR UPDATE OF m SKIP LOCKED
    ), kept AS (
        INSERT INTO cold_messages (message_id, chat_session_id, parts, model_messages)
        SELECT m.id, m.chat_session_id, m.parts, m.model_messages FROM messages m JOIN old ON old.id = m.id
        RETURNING message_id
    )
    UPDATE messages m SET cold = true, parts = '[]', model_messages = NULL FROM kept WHERE kept.message_id = m.id;
    GET DIAGNOSTICS moved = ROW_COUNT;
    RETURN moved;
END
$$;
REVOKE ALL ON FUNCTION leaf_cool_chats(older_than interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_cool_chats(older_than interval, most integer) TO leaf_app;

CREATE FUNCTION leaf_copy_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[]) RETURNS SETOF integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    INSERT INTO drive_vectors (text_id, n, model, digest, vector)
        SELECT wanted, one.n, made_by, one.digest, equal.vector
        FROM unnest(numbers, digests) AS one (n, digest)
        JOIN drive_chunks c ON c.text_id = wanted AND c.n = one.n
        CROSS JOIN LATERAL (
            SELECT v.vector FROM drive_vectors v WHERE v.digest = one.digest AND v.model = made_by LIMIT 1
        ) AS equal
        WHERE EXISTS (
            SELECT FROM drive_texts t
            JOIN drive_sight s ON s.user_id = leaf_user_id() AND s.file_id = t.file_id AND s.revision = t.revision
            WHERE t.id = wanted AND s.can_download
        )
    ON CONFLICT (text_id, n) DO UPDATE
        SET model = excluded.model, digest = excluded.digest, vector = excluded.vector
    RETURNING n
$$;
REVOKE ALL ON FUNCTION leaf_copy_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_copy_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[]) TO leaf_app;

CREATE FUNCTION leaf_decline_invitation(invitation uuid) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH declined AS (
        UPDATE chat_invitations i SET declined_at = now() FROM users me
        WHERE i.id = invitation AND me.id = leaf_user_id() AND i.email = lower(me.email) AND i.declined_at IS NULL
        RETURNING i.id
    )
    SELECT EXISTS (SELECT FROM declined)
$$;
REVOKE ALL ON FUNCTION leaf_decline_invitation(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_decline_invitation(invitation uuid) TO leaf_app;

CREATE FUNCTION leaf_delete_account() RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    person uuid := leaf_user_id();
BEGIN
    PERFORM FROM chat_sessions c
        WHERE c.created_by = person
            OR c.id IN (SELECT p.chat_session_id FROM chat_participants p WHERE p.user_id = person)
        ORDER BY c.id FOR UPDATE;
    PERFORM FROM users u WHERE u.id = person FOR UPDATE;
    RETURN QUERY SELECT m.workflow_run_id FROM messages m
        WHERE m.workflow_run_id IS NOT NULL AND (m.user_id = person OR m.chat_session_id IN (
            SELECT c.id FROM chat_sessions c WHERE c.created_by = person AND NOT EXISTS (
                SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id <> person
            )
        ));
    UPDATE chat_sessions c SET created_by = heir.user_id, workspace_id = heir.workspace_id
        FROM (
            SELECT DISTINCT ON (p.chat_session_id) p.chat_session_id, p.user_id, k.id AS workspace_id
            FROM chat_participants p JOIN workspaces k ON k.personal_user_id = p.user_id
            WHERE p.user_id <> person
            ORDER BY p.chat_session_id, p.joined_at, p.user_id
        ) heir
        WHERE heir.chat_session_id = c.id AND (
            c.created_by = person OR c.workspace_id IN (SELECT k.id FROM workspaces k WHERE k.personal_user_id = person)
        );
    DELETE FROM chat_sessions c
        WHERE c.created_by = person OR (
            EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id = person)
            AND NOT EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = c.id AND p.user_id <> person)
        );
    UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.user_id = person AND m.role = 'assistant' AND m.status IN ('pending', 'streaming', 'waiting');
    UPDATE messages m SET updated_at = now() WHERE m.user_id = person;
    DELETE FROM users u WHERE u.id = person;
END
$$;
REVOKE ALL ON FUNCTION leaf_delete_account() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_delete_account() TO leaf_app;

CREATE FUNCTION leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_sessions c SET deleted_at = clock_timestamp(), deleted_by = leaf_user_id()
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_delete_chats.chats) AND l.created_by = leaf_user_id() AND leaf_is_participant(l.id)
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;
REVOKE ALL ON FUNCTION leaf_delete_chats(chats uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_delete_chats(chats uuid[]) TO leaf_app;

CREATE FUNCTION leaf_delete_unasked_chats(older_than interval, most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH due AS (
        SELECT c.id
        FROM chat_sessions c, greatest(leaf_delete_unasked_chats.older_than, interval '1 hour') idle
        WHERE NOT c.begun AND c.updated_at <= now() - idle
            AND EXISTS (SELECT FROM chat_files f WHERE f.chat_session_id = c.id)
            AND NOT EXISTS (
                SELECT FROM chat_files f
                WHERE f.chat_session_id = c.id AND f.updated_at > now() - idle
            )
            AND NOT EXISTS (SELECT FROM chat_invitations i WHERE i.chat_session_id = c.id)
            AND (SELECT count(*) FROM chat_participants p WHERE p.chat_session_id = c.id) < 2
        LIMIT leaf_delete_unasked_chats.most
        FOR UPDATE OF c SKIP LOCKED
    ), gone AS (
        DELETE FROM chat_sessions c USING due WHERE c.id = due.id RETURNING c.id
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION leaf_delete_unasked_chats(older_than interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_delete_unasked_chats(older_than interval, most integer) TO leaf_app;

CREATE FUNCTION leaf_deleted_chats(since timestamp with time zone) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.changed_at >= leaf_deleted_chats.since AND c.deleted_at IS NOT NULL
$$;
REVOKE ALL ON FUNCTION leaf_deleted_chats(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_deleted_chats(since timestamp with time zone) TO leaf_app;

CREATE FUNCTION leaf_deleted_runs(older_than interval, most integer) RETURNS TABLE(chat_session_id uuid, run_ids uuid[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, array(
        SELECT m.workflow_run_id FROM messages m
        WHERE m.chat_session_id = c.id AND m.workflow_run_id IS NOT NULL
    )
    FROM chat_sessions c
    WHERE leaf_user_id() IS NULL AND c.deleted_at <= now() - leaf_deleted_runs.older_than
    ORDER BY c.deleted_at LIMIT leaf_deleted_runs.most
$$;
REVOKE ALL ON FUNCTION leaf_deleted_runs(older_than interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_deleted_runs(older_than interval, most integer) TO leaf_app;

CREATE FUNCTION leaf_doctor_member(address text) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, w.id FROM users u JOIN workspaces w ON w.personal_user_id = u.id
    LEFT JOIN integrations i ON i.user_id = u.id AND lower(i.provider_account_email) = lower(address)
    WHERE (lower(u.email) = lower(address) OR i.id IS NOT NULL) AND leaf_user_id() IS NULL
    ORDER BY lower(u.email) = lower(address) DESC
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION leaf_doctor_member(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_doctor_member(address text) TO leaf_app;

CREATE FUNCTION leaf_doubt_drive_texts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE drive_texts t SET doubtful = true FROM before o WHERE t.file_id = o.file_id AND NOT t.doubtful;
    ELSE
        UPDATE drive_texts t SET doubtful = true
            FROM before o JOIN after n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE t.file_id = o.file_id AND NOT t.doubtful
                AND (n.revision, n.can_download) IS DISTINCT FROM (o.revision, o.can_download);
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_drive_texts() FROM PUBLIC;

CREATE FUNCTION leaf_doubt_earlier_texts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE drive_texts t SET doubtful = true WHERE t.file_id = NEW.file_id AND t.id <> NEW.id AND NOT t.doubtful;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_earlier_texts() FROM PUBLIC;

CREATE FUNCTION leaf_doubt_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
            FROM before o
            WHERE c.user_id = o.user_id AND c.file_id = o.file_id AND c.state NOT IN ('hidden')
                AND c.quoted_at > now() - interval '90 days'
                AND EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = o.user_id);
    ELSE
        UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
            FROM after n
            WHERE c.user_id = n.user_id AND c.file_id = n.file_id AND c.quoted_at > now() - interval '90 days'
                AND CASE WHEN n.can_download THEN c.revision <> n.revision ELSE c.state <> 'hidden' END;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_quotes() FROM PUBLIC;

CREATE FUNCTION leaf_drive_feed_pause(feed text, failure text, shortest interval, gap interval, longest interval) RETURNS interval
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT greatest(shortest, least(longest, coalesce(max(f.retry_at) - now() + gap, shortest)))
    FROM drive_feeds f
    WHERE f.failures > 0 AND f.error = failure AND f.retry_at > now()
        AND (f.user_id, f.drive_id) IS DISTINCT FROM (leaf_user_id(), feed)
$$;
REVOKE ALL ON FUNCTION leaf_drive_feed_pause(feed text, failure text, shortest interval, gap interval, longest interval) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_drive_feed_pause(feed text, failure text, shortest interval, gap interval, longest interval) TO leaf_app;

CREATE FUNCTION leaf_due_digests(most integer, waited interval) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.user_id, (array_agg(w.workspace_id))[1]
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN digests d ON d.user_id = w.user_id
    WHERE leaf_user_id() IS NULL AND w.news_at IS NOT NULL AND w.mailed_at IS DISTINCT FROM w.news_at AND w.news_at > p.read_at
        AND d.wanted IS NOT FALSE AND (d.next_at IS NULL OR d.next_at <= now())
    GROUP BY w.user_id
    HAVING min(w.news_at) <= now() - waited
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_digests(most integer, waited interval) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_digests(most integer, waited interval) TO leaf_app;

CREATE FUNCTION leaf_due_drive_feeds(present interval, absent interval, again interval, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
        ) AS here
    ) p
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, f.checked_at NULLS FIRST
    LIMIT most
$$;
CREATE FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
        ) AS here, EXISTS (
            SELECT FROM citations c WHERE c.user_id = f.user_id AND c.quoted_at > now() - interval '90 days'
        ) AS cited
    ) p
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
$$;
CREATE FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, kind text, most integer) RETURNS TABLE(user_id uuid, drive_id text, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT CASE WHEN f.stage = 'following' AND f.listed_at > now() - again THEN 'followed' ELSE 'listed' END AS kind,
            EXISTS (
                SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
            ) AS here, EXISTS (
                SELECT FROM citations c WHERE c.user_id = f.user_id AND c.quoted_at > now() - interval '90 days'
            ) AS cited
    ) p
    WHERE leaf_user_id() IS NULL AND f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now())
        AND (leaf_due_drive_feeds.kind IS NULL OR p.kind = leaf_due_drive_feeds.kind) AND (
            p.kind = 'listed' OR f.checked_at IS NULL
            OR f.checked_at <= now() - CASE WHEN p.here THEN present WHEN p.cited THEN followed ELSE absent END
        )
    ORDER BY f.stage = 'following', NOT p.here, NOT p.cited, f.checked_at NULLS FIRST
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_drive_feeds(present interval, absent interval, again interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_drive_feeds(present interval, absent interval, again interval, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, kind text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_drive_feeds(present interval, followed interval, absent interval, again interval, kind text, most integer) TO leaf_app;

CREATE FUNCTION leaf_due_quotes(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT c.user_id, f.workspace_id
    FROM (
        SELECT * FROM citations WHERE due_at <= now() UNION ALL SELECT * FROM citations WHERE compute_at <= now()
    ) c
    JOIN drive_feeds f ON f.user_id = c.user_id AND f.drive_id = ''
    JOIN integrations i ON i.user_id = c.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    JOIN chat_participants p ON p.chat_session_id = c.chat_session_id AND p.user_id = c.user_id
    JOIN chat_sessions s ON s.id = c.chat_session_id AND s.deleted_at IS NULL
    LEFT JOIN drive_sight d ON d.user_id = c.user_id AND d.file_id = c.file_id
    WHERE leaf_user_id() IS NULL AND (
        d.file_id IS NULL OR NOT d.can_download OR d.wanted_at IS NULL OR EXISTS (
            SELECT FROM drive_texts t WHERE t.file_id = d.file_id AND t.revision = d.revision
                AND (t.state IN ('read', 'skipped') OR t.state = 'failed' AND t.attempts >= 3)
        )
    )
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_quotes(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_quotes(most integer) TO leaf_app;

CREATE FUNCTION leaf_due_watches(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT w.user_id, w.workspace_id
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN messages m ON m.id = w.answer_id
    WHERE leaf_user_id() IS NULL AND w.ended_at IS NULL AND CASE
        WHEN w.asking THEN m.id IS NULL OR m.status NOT IN ('pending', 'streaming')
        ELSE w.next_at <= now() AND p.archived_at IS NULL AND EXISTS (
            SELECT FROM drive_feeds f
            JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
                AND i.provider = 'google_drive' AND i.status = 'active'
            WHERE f.user_id = w.user_id AND f.drive_id = '' AND f.workspace_id = w.workspace_id
        )
    END
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_watches(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_due_watches(most integer) TO leaf_app;

CREATE FUNCTION leaf_ensure_workspace(person uuid, called text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    workspace uuid;
BEGIN
    SELECT w.id INTO workspace FROM workspaces w WHERE w.personal_user_id = person;
    IF workspace IS NULL THEN
        INSERT INTO workspaces (name, personal_user_id)
            VALUES (left(called, 200) || '''s Workspace', person) RETURNING id INTO workspace;
    END IF;
    INSERT INTO workspace_members (workspace_id, user_id) VALUES (workspace, person) ON CONFLICT DO NOTHING;
END
$$;
REVOKE ALL ON FUNCTION leaf_ensure_workspace(person uuid, called text) FROM PUBLIC;

CREATE FUNCTION leaf_expire_provider_logs() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM provider_logs l WHERE l.expires_at <= now();
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END
$$;
REVOKE ALL ON FUNCTION leaf_expire_provider_logs() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_expire_provider_logs() TO leaf_app;

CREATE FUNCTION leaf_expire_widget_chats() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    hidden bigint;
BEGIN
    UPDATE chat_sessions c SET deleted_at = now(), deleted_by = NULL
        FROM widget_chats w JOIN agents a ON a.id = w.agent_id
        WHERE w.chat_session_id = c.id AND c.deleted_at IS NULL AND NOT c.running AND a.retention_days IS NOT NULL
        AND c.updated_at < now() - make_interval(days => a.retention_days);
    GET DIAGNOSTICS hidden = ROW_COUNT;
    DELETE FROM users u USING visitors v WHERE v.user_id = u.id AND v.last_seen_at < now() - interval '95 days'
        AND NOT EXISTS (SELECT FROM chat_sessions c WHERE c.created_by = u.id);
    RETURN hidden;
END
$$;
REVOKE ALL ON FUNCTION leaf_expire_widget_chats() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_expire_widget_chats() TO leaf_app;

CREATE FUNCTION leaf_follow_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM citations c WHERE c.message_id = NEW.id;
    END IF;
    IF NEW.user_id IS NOT NULL AND NEW.status IN ('completed', 'stopped', 'error')
        AND NOT EXISTS (SELECT FROM visitors v WHERE v.user_id = NEW.user_id) THEN
        INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, due_at)
        SELECT NEW.id, q.n, NEW.chat_session_id, NEW.user_id, q.file_id, q.revision, NEW.created_at,
            CASE WHEN s.revision <> q.revision THEN now() END
        FROM leaf_followed_quotes(NEW.parts) q
        LEFT JOIN drive_sight s ON s.user_id = NEW.user_id AND s.file_id = q.file_id
        ON CONFLICT DO NOTHING;
        INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at, call, compute_at)
        SELECT NEW.id, f.n, NEW.chat_session_id, NEW.user_id, f.file_id, f.revision, NEW.created_at, f.call,
            CASE WHEN s.revision <> f.revision THEN now() END
        FROM leaf_followed_figures(NEW.parts) f
        LEFT JOIN drive_sight s ON s.user_id = NEW.user_id AND s.file_id = f.file_id
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_follow_quotes() FROM PUBLIC;

CREATE FUNCTION leaf_followed_figures(parts jsonb) RETURNS TABLE(n integer, file_id text, revision text, call text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT DISTINCT ON (1, 2) (one ->> 'n')::integer, file #>> '{}', coalesce(jsonb_path_query_first(
        parts, '$[*] ? (@.toolCallId == $call).output.tables[*] ? (@.file_id == $file).revision',
        jsonb_build_object('call', one -> 'call', 'file', file)
    ) #>> '{}', ''), one ->> 'call'
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "computed" && @.verified == true)') one
    CROSS JOIN LATERAL jsonb_path_query(one, '$.files[*]') file
    WHERE one ->> 'n' ~ '^\d{1,6}$' AND one ->> 'call' <> '' AND file #>> '{}' <> ''
$_$;
REVOKE ALL ON FUNCTION leaf_followed_figures(parts jsonb) FROM PUBLIC;

CREATE FUNCTION leaf_followed_quotes(parts jsonb) RETURNS TABLE(n integer, file_id text, revision text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT (one ->> 'n')::integer, one ->> 'file_id', coalesce(one ->> 'revision', '')
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "drive" && @.verified == true)') one
    WHERE one ->> 'n' ~ '^\d{1,6}$' AND one ->> 'file_id' <> ''
        AND coalesce(one ->> 'part', '') NOT LIKE 'version of %'
$_$;
REVOKE ALL ON FUNCTION leaf_followed_quotes(parts jsonb) FROM PUBLIC;

CREATE FUNCTION leaf_forget_documents() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM documents d USING before o WHERE d.user_id = o.user_id AND d.file_id = o.file_id;
    ELSE
        DELETE FROM documents d USING before o JOIN after n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE d.user_id = o.user_id AND d.file_id = o.file_id AND o.can_download AND NOT n.can_download;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_forget_documents() FROM PUBLIC;

CREATE FUNCTION leaf_forget_drive_texts(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    doubted uuid[];
BEGIN
    WITH looked_at AS (
        UPDATE drive_texts t SET doubtful = false WHERE t.id IN (
            SELECT d.id FROM drive_texts d WHERE d.doubtful LIMIT most FOR UPDATE SKIP LOCKED
        ) RETURNING t.id
    )
    SELECT array_agg(l.id) INTO doubted FROM looked_at l;
    DELETE FROM drive_texts t WHERE t.id = ANY (doubted) AND NOT EXISTS (
        SELECT FROM drive_sight s WHERE s.file_id = t.file_id AND s.can_download AND (
            s.revision = t.revision OR NOT EXISTS (
                SELECT FROM drive_texts n
                WHERE n.file_id = s.file_id AND n.revision = s.revision AND n.state IN ('read', 'skipped')
            )
        )
    );
    RETURN coalesce(cardinality(doubted), 0);
END
$$;
REVOKE ALL ON FUNCTION leaf_forget_drive_texts(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_forget_drive_texts(most integer) TO leaf_app;

CREATE FUNCTION leaf_forget_imported_key() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NEW.created_by <> OLD.created_by OR EXISTS (
        SELECT FROM chat_sessions c
        WHERE c.created_by = NEW.created_by AND c.imported_key = NEW.imported_key AND c.deleted_at IS NULL
            AND c.id <> NEW.id
    ) THEN
        NEW.imported_key := NULL;
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_forget_imported_key() FROM PUBLIC;

CREATE FUNCTION leaf_grants_refused(minutes double precision, many integer, reason text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    since timestamptz := now() - make_interval(secs => least(minutes, 1440) * 60);
    others integer;
BEGIN
    SELECT count(DISTINCT i.user_id) INTO others FROM integrations i
    WHERE i.user_id <> leaf_user_id() AND i.status = 'revoked' AND i.updated_at >= since
        AND i.diagnosis->>'cause' IN ('revoked', 'revoked_for_many') AND (i.diagnosis->>'at')::timestamptz >= since;
    IF others + 1 >= greatest(many, 2) THEN
        UPDATE integrations i
        SET diagnosis = jsonb_set(i.diagnosis, '{cause}', '"revoked_for_many"'), status_reason = reason
        WHERE i.status = 'revoked' AND i.updated_at >= since AND i.diagnosis->>'cause' = 'revoked'
            AND (i.diagnosis->>'at')::timestamptz >= since;
    END IF;
    RETURN others;
END
$$;
REVOKE ALL ON FUNCTION leaf_grants_refused(minutes double precision, many integer, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_grants_refused(minutes double precision, many integer, reason text) TO leaf_app;

CREATE FUNCTION leaf_import_owner(import uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.user_id FROM imports i WHERE leaf_user_id() IS NULL AND i.id = leaf_import_owner.import
$$;
REVOKE ALL ON FUNCTION leaf_import_owner(import uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_import_owner(import uuid) TO leaf_app;

CREATE FUNCTION leaf_invited(invitation uuid) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id FROM chat_invitations i JOIN users u ON lower(u.email) = i.email
    WHERE i.id = invitation AND i.invited_by = leaf_user_id()
$$;
REVOKE ALL ON FUNCTION leaf_invited(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_invited(invitation uuid) TO leaf_app;

CREATE FUNCTION leaf_is_creator(chat uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM chat_sessions c WHERE c.id = chat AND c.created_by = leaf_user_id())
$$;
REVOKE ALL ON FUNCTION leaf_is_creator(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_is_creator(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_is_member(tenant uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = tenant AND m.user_id = leaf_user_id())
$$;
REVOKE ALL ON FUNCTION leaf_is_member(tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_is_member(tenant uuid) TO leaf_app;

CREATE FUNCTION leaf_is_participant(chat uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (
        SELECT FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id() AND c.deleted_at IS NULL
    )
$$;
REVOKE ALL ON FUNCTION leaf_is_participant(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_is_participant(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_is_visitor() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM visitors v WHERE v.user_id = leaf_user_id())
$$;
REVOKE ALL ON FUNCTION leaf_is_visitor() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_is_visitor() TO leaf_app;

CREATE FUNCTION leaf_is_visitor_of(agent uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM visitors v WHERE v.user_id = leaf_user_id() AND v.agent_id = agent)
$$;
REVOKE ALL ON FUNCTION leaf_is_visitor_of(agent uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_is_visitor_of(agent uuid) TO leaf_app;

CREATE FUNCTION leaf_join_tenant(token_hash text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    tenant uuid;
BEGIN
    IF leaf_user_id() IS NULL OR leaf_is_visitor() THEN
        RETURN NULL;
    END IF;
    DELETE FROM tenant_invitations i
        WHERE i.token_hash = leaf_join_tenant.token_hash AND i.expires_at > now()
        RETURNING i.tenant_id INTO tenant;
    IF tenant IS NOT NULL THEN
        INSERT INTO tenant_members (tenant_id, user_id) VALUES (tenant, leaf_user_id()) ON CONFLICT DO NOTHING;
    END IF;
    RETURN tenant;
END
$$;
REVOKE ALL ON FUNCTION leaf_join_tenant(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_join_tenant(token_hash text) TO leaf_app;

CREATE FUNCTION leaf_keep_drive_text(file text, fresh_revision text, fresh_digest bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    kept uuid;
    was_late boolean;
BEGIN
    IF NOT EXISTS (
        SELECT FROM drive_sight s WHERE s.user_id = leaf_user_id()
            AND s.file_id = file AND s.revision = fresh_revision AND s.can_download
    ) THEN
        RETURN false;
    END IF;
    SELECT t.id INTO kept FROM drive_texts t
        WHERE t.file_id = file AND t.revision <> fresh_revision AND t.state = 'read' AND t.digest = fresh_digest
        ORDER BY t.updated_at DESC LIMIT 1 FOR UPDATE;
    IF kept IS NULL THEN
        RETURN false;
    END IF;
    DELETE FROM drive_texts t WHERE t.file_id = file AND t.revision = fresh_revision RETURNING t.late INTO was_late;
    UPDATE drive_texts t SET revision = fresh_revision, updated_at = now(), late = t.late OR coalesce(was_late, false),
        settled_at = CASE WHEN was_late THEN now() ELSE t.settled_at END WHERE t.id = kept;
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION leaf_keep_drive_text(file text, fresh_revision text, fresh_digest bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_keep_drive_text(file text, fresh_revision text, fresh_digest bytea) TO leaf_app;

CREATE FUNCTION leaf_keep_title_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    VALUES (
        NEW.id, NEW.id, NULL, 0,
        leaf_marked_words(coalesce(NEW.title, ''), '@t', NEW.id, NEW.created_by) || leaf_agent_mark(NEW.id)
    )
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_keep_title_words() FROM PUBLIC;

CREATE FUNCTION leaf_keep_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[], vectors text[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    DELETE FROM drive_vectors v WHERE v.text_id = wanted AND v.n = ANY (numbers);
    INSERT INTO drive_vectors (text_id, n, model, digest, vector)
        SELECT wanted, one.n, made_by, one.digest, one.vector::leaf_vectors.halfvec
        FROM unnest(numbers, digests, vectors) AS one (n, digest, vector)
        JOIN drive_chunks c ON c.text_id = wanted AND c.n = one.n
        ON CONFLICT (text_id, n) DO NOTHING;
$$;
REVOKE ALL ON FUNCTION leaf_keep_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[], vectors text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_keep_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[], vectors text[]) TO leaf_app;

CREATE FUNCTION leaf_keep_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    written text;
BEGIN
    IF NEW.cold THEN
        RETURN NULL;
    END IF;
    written := leaf_message_text(NEW.parts);
    IF written IS NULL THEN
        IF TG_OP = 'UPDATE' THEN
            DELETE FROM search_words w WHERE w.id = NEW.id;
        END IF;
        RETURN NULL;
    END IF;
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    SELECT NEW.id, c.id, NEW.id, NEW.position,
        leaf_marked_words(written, '@m', c.id, c.created_by) || leaf_agent_mark(c.id)
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_keep_words() FROM PUBLIC;

CREATE FUNCTION leaf_large_chats(bytes bigint, most integer) RETURNS TABLE(chat_session_id uuid, content_bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, c.content_bytes FROM chat_sessions c
    WHERE leaf_user_id() IS NULL AND c.content_bytes >= leaf_large_chats.bytes AND c.content_bytes >= 524288 AND c.deleted_at IS NULL
    ORDER BY c.content_bytes DESC LIMIT leaf_large_chats.most
$$;
REVOKE ALL ON FUNCTION leaf_large_chats(bytes bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_large_chats(bytes bigint, most integer) TO leaf_app;

CREATE FUNCTION leaf_marked_words(written text, kind text, chat uuid, creator uuid) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT to_tsvector('simple', leaf_search_words(written))
        || array_to_tsvector(ARRAY[kind, '@u' || creator::text, '@c' || chat::text])
$$;
REVOKE ALL ON FUNCTION leaf_marked_words(written text, kind text, chat uuid, creator uuid) FROM PUBLIC;

CREATE FUNCTION leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (
        SELECT FROM visitors v JOIN agents a ON a.id = v.agent_id
        JOIN widget_chats w ON w.agent_id = a.id AND w.tenant_id = a.tenant_id
        JOIN messages m ON m.chat_session_id = w.chat_session_id
        WHERE v.user_id = leaf_user_id() AND a.provider_logs AND a.id = agent AND a.tenant_id = tenant
            AND w.chat_session_id = chat AND m.id = message AND leaf_is_participant(chat)
    )
$$;
REVOKE ALL ON FUNCTION leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) TO leaf_app;

CREATE FUNCTION leaf_merge_visitor(session_visitor uuid) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    person uuid := leaf_user_id();
    moved uuid[];
BEGIN
    IF NOT EXISTS (
        SELECT FROM visitors s JOIN visitors p ON p.agent_id = s.agent_id
        WHERE s.user_id = session_visitor AND s.kind = 'session' AND p.user_id = person AND p.kind = 'signed'
    ) THEN
        RETURN;
    END IF;
    PERFORM FROM chat_sessions c
        WHERE c.created_by = session_visitor AND c.deleted_at IS NULL ORDER BY c.id FOR UPDATE;
    SELECT array_agg(c.id) INTO moved FROM chat_sessions c
        WHERE c.created_by = session_visitor AND c.deleted_at IS NULL AND NOT EXISTS (
            SELECT FROM messages m WHERE m.chat_session_id = c.id AND m.status NOT IN ('completed', 'error', 'stopped')
        );
    UPDATE chat_sessions c SET created_by = person, updated_at = c.updated_at WHERE c.id = ANY (moved);
    UPDATE chat_participants p SET user_id = person
        WHERE p.chat_session_id = ANY (moved) AND p.user_id = session_visitor;
    UPDATE feedback f SET user_id = person FROM messages m
        WHERE m.id = f.message_id AND m.chat_session_id = ANY (moved) AND f.user_id = session_visitor;
    UPDATE messages m SET user_id = person, updated_at = m.updated_at
        WHERE m.chat_session_id = ANY (moved) AND m.user_id = session_visitor;
    RETURN QUERY SELECT unnest(moved);
END
$$;
REVOKE ALL ON FUNCTION leaf_merge_visitor(session_visitor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_merge_visitor(session_visitor uuid) TO leaf_app;

CREATE FUNCTION leaf_message_parent() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM messages m
        WHERE m.id = NEW.parent_id AND m.chat_session_id = NEW.chat_session_id AND m.role <> NEW.role
    ) THEN
        RAISE EXCEPTION 'a message hangs on an earlier one of the same chat, a question on an answer and the reverse'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'messages_parent_check';
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_message_parent() FROM PUBLIC;

CREATE FUNCTION leaf_message_text(parts jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT string_agg(part ->> 'text', E'\n\n' ORDER BY place)
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS one (part, place)
    WHERE part ->> 'type' = 'text' AND part ->> 'text' <> '' AND place <> ALL ((SELECT leaf_narration(parts))::bigint[])
$$;
REVOKE ALL ON FUNCTION leaf_message_text(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_message_text(parts jsonb) TO leaf_app;

CREATE FUNCTION leaf_model_messages(message messages) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT CASE WHEN message.cold
        THEN (SELECT c.model_messages FROM cold_messages c WHERE c.message_id = message.id)
        ELSE message.model_messages END
$$;
REVOKE ALL ON FUNCTION leaf_model_messages(message messages) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_model_messages(message messages) TO leaf_app;

CREATE FUNCTION leaf_more(now numeric, earlier numeric, went_on boolean) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT greatest(0, coalesce(now, 0) - CASE WHEN went_on THEN coalesce(earlier, 0) ELSE 0 END) $$;
REVOKE ALL ON FUNCTION leaf_more(now numeric, earlier numeric, went_on boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_more(now numeric, earlier numeric, went_on boolean) TO leaf_app;

CREATE FUNCTION leaf_move_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE search_words w
        SET words = ts_delete(w.words, '@u' || OLD.created_by) || array_to_tsvector(ARRAY['@u' || NEW.created_by])
        WHERE w.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_move_words() FROM PUBLIC;

CREATE FUNCTION leaf_my_invitations() RETURNS TABLE(id uuid, title text, invited_by text, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, c.title, coalesce(inviter.display_name, inviter.name), i.created_at
    FROM users me
    JOIN chat_invitations i ON i.email = lower(me.email)
    JOIN chat_sessions c ON c.id = i.chat_session_id AND c.deleted_at IS NULL
    JOIN users inviter ON inviter.id = i.invited_by
    WHERE me.id = leaf_user_id() AND i.declined_at IS NULL
    ORDER BY i.created_at DESC, i.id
$$;
REVOKE ALL ON FUNCTION leaf_my_invitations() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_my_invitations() TO leaf_app;

CREATE FUNCTION leaf_narration(parts jsonb) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH one AS (
        SELECT place, element ->> 'type' AS type, element ->> 'text' AS written
        FROM jsonb_array_elements(parts) WITH ORDINALITY AS part (element, place)
    ), call AS (
        SELECT max(place) AS last FROM one
        WHERE (type = 'dynamic-tool' OR type LIKE 'tool-%') AND type NOT LIKE 'tool-display%'
            AND place < (SELECT max(place) FROM one WHERE type = 'text' AND btrim(written, E' \t\r\n') <> '')
    )
    SELECT coalesce(array_agg(place ORDER BY place), '{}') FROM one, call
    WHERE type = 'text' AND btrim(written, E' \t\r\n') <> '' AND place < call.last
        AND length(written) <= 400 AND strpos(written, '[^') = 0
$$;
REVOKE ALL ON FUNCTION leaf_narration(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_narration(parts jsonb) TO leaf_app;

CREATE FUNCTION leaf_new_tenant(name text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    tenant uuid;
    workspace uuid;
BEGIN
    IF leaf_user_id() IS NULL OR leaf_is_visitor() THEN
        RAISE insufficient_privilege USING MESSAGE = 'a tenant is made by a person';
    END IF;
    INSERT INTO workspaces (name) VALUES (leaf_new_tenant.name) RETURNING id INTO workspace;
    INSERT INTO tenants (workspace_id, name) VALUES (workspace, leaf_new_tenant.name) RETURNING id INTO tenant;
    INSERT INTO tenant_members (tenant_id, user_id) VALUES (tenant, leaf_user_id());
    RETURN tenant;
END
$$;
REVOKE ALL ON FUNCTION leaf_new_tenant(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_new_tenant(name text) TO leaf_app;

CREATE FUNCTION leaf_next_queued(chat uuid) RETURNS TABLE(id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT q.id, q.user_id FROM queued_messages q
    WHERE q.chat_session_id = chat AND q.problem IS NULL AND leaf_is_participant(chat)
    ORDER BY q.position LIMIT 1
$$;
REVOKE ALL ON FUNCTION leaf_next_queued(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_next_queued(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_note_budgets(most_tokens bigint, most_usd numeric) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    tenant uuid;
    today date := (now() AT TIME ZONE 'UTC')::date;
    month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    entered bigint;
BEGIN
    SELECT v.tenant_id INTO tenant FROM visitors v WHERE v.user_id = leaf_user_id();
    IF tenant IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO budget_alerts (tenant_id, agent_id, unit, percent, period)
        SELECT tenant, b.agent, b.unit, p.percent, b.period
        FROM (
            SELECT NULL::uuid, 'tokens', month, least(most_tokens, t.monthly_tokens)::numeric, used.tokens
            FROM tenants t CROSS JOIN LATERAL (
                SELECT sum(u.input_tokens + u.output_tokens) AS tokens FROM usage_entries u
                WHERE u.workspace_id = t.workspace_id AND u.day >= month
            ) used WHERE t.id = tenant
            UNION ALL
            SELECT NULL, 'usd', month, least(most_usd, t.monthly_usd), used.usd
            FROM tenants t CROSS JOIN LATERAL (
                SELECT sum(u.cost_usd) AS usd FROM usage_entries u
                WHERE u.workspace_id = t.workspace_id AND u.day >= month
            ) used WHERE t.id = tenant
            UNION ALL
            SELECT a.id, 'messages', today, a.agent_daily, used.answers
            FROM visitors own JOIN agents a ON a.id = own.agent_id JOIN tenants t ON t.id = a.tenant_id
            CROSS JOIN LATERAL (
                SELECT count(*) AS answers FROM usage_entries u JOIN visitors v ON v.user_id = u.user_id
                WHERE u.workspace_id = t.workspace_id AND u.day = today AND u.purpose = 'answer' AND v.agent_id = a.id
            ) used WHERE own.user_id = leaf_user_id()
        ) b (agent, unit, period, most, used)
        CROSS JOIN (VALUES (80), (100)) p (percent)
        WHERE b.used * 100 >= b.most * p.percent
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS entered = ROW_COUNT;
    IF entered > 0 THEN
        RETURN QUERY SELECT m.user_id FROM tenant_members m WHERE m.tenant_id = tenant;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION leaf_note_budgets(most_tokens bigint, most_usd numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_note_budgets(most_tokens bigint, most_usd numeric) TO leaf_app;

CREATE FUNCTION leaf_note_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.changed_at := now();
    IF NOT OLD.can_download THEN
        NEW.arrived_at := now();
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_note_revision() FROM PUBLIC;

CREATE FUNCTION leaf_open_drive_feeds() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    made bigint;
BEGIN
    INSERT INTO drive_feeds (user_id, workspace_id)
        SELECT DISTINCT ON (i.user_id) i.user_id, i.workspace_id FROM integrations i
        WHERE i.provider = 'google_drive' AND i.status = 'active'
            AND NOT EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = i.user_id AND f.drive_id = '')
            AND NOT EXISTS (SELECT FROM user_settings s WHERE s.user_id = i.user_id AND NOT s.keeps_texts)
        ORDER BY i.user_id, i.created_at
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN made;
END
$$;
REVOKE ALL ON FUNCTION leaf_open_drive_feeds() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_open_drive_feeds() TO leaf_app;

CREATE FUNCTION leaf_origin_allowed(origin text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM agents a WHERE a.origins @> ARRAY[leaf_origin_allowed.origin])
$$;
REVOKE ALL ON FUNCTION leaf_origin_allowed(origin text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_origin_allowed(origin text) TO leaf_app;

CREATE FUNCTION leaf_overdue_client_calls(most integer) RETURNS TABLE(message_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.user_id
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE leaf_user_id() IS NULL AND m.client_due_at <= now() AND m.status = 'waiting' AND m.user_id IS NOT NULL AND c.deleted_at IS NULL
    ORDER BY m.client_due_at LIMIT leaf_overdue_client_calls.most
$$;
REVOKE ALL ON FUNCTION leaf_overdue_client_calls(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_overdue_client_calls(most integer) TO leaf_app;

CREATE FUNCTION leaf_participant_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
            FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
        NEW.active_at := coalesce(NEW.active_at, now());
        NEW.listed := coalesce(NEW.listed, false);
    END IF;
    NEW.changed_at := clock_timestamp();
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_participant_marks() FROM PUBLIC;

CREATE FUNCTION leaf_participants(chat uuid) RETURNS TABLE(user_id uuid, name text, creator boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, coalesce(u.display_name, u.name), c.created_by = u.id
    FROM chat_participants p
    JOIN chat_sessions c ON c.id = p.chat_session_id
    JOIN users u ON u.id = p.user_id
    WHERE p.chat_session_id = chat AND leaf_is_participant(chat)
    ORDER BY c.created_by <> u.id, p.joined_at, u.id
$$;
REVOKE ALL ON FUNCTION leaf_participants(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_participants(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_parts(message messages) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT CASE WHEN message.cold
        THEN (SELECT c.parts FROM cold_messages c WHERE c.message_id = message.id) ELSE message.parts END
$$;
REVOKE ALL ON FUNCTION leaf_parts(message messages) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_parts(message messages) TO leaf_app;

CREATE FUNCTION leaf_path(answer uuid, kinds text[]) RETURNS TABLE(id uuid, role message_role, user_id uuid, covered boolean, summary text, parts jsonb, model_messages jsonb, offers jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT p.id, p.role, p.user_id, p.covered, p.summary, p.parts, p.model_messages, p.offers
    FROM leaf_path(leaf_path.answer, leaf_path.kinds, true) p
$$;
CREATE FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) RETURNS TABLE(id uuid, role message_role, user_id uuid, covered boolean, summary text, tools text[], parts jsonb, model_messages jsonb, offers jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH RECURSIVE path AS (
        SELECT m.id, m.parent_id, 0 AS depth, NULL::uuid AS summary FROM messages m
        WHERE m.id = leaf_path.answer AND leaf_is_participant(m.chat_session_id)
        UNION ALL
        SELECT m.id, m.parent_id, p.depth + 1, s.id FROM path p JOIN messages m ON m.id = p.parent_id
        LEFT JOIN chat_summaries s ON s.message_id = m.id
        WHERE leaf_path.whole OR p.summary IS NULL
    ), newest AS (
        SELECT p.depth, s.text, s.tools FROM path p JOIN chat_summaries s ON s.id = p.summary ORDER BY p.depth LIMIT 1
    )
    SELECT m.id, m.role, m.user_id, coalesce(p.depth >= n.depth, false), CASE WHEN p.depth = n.depth THEN n.text END,
        CASE WHEN p.depth = n.depth THEN n.tools END,
        CASE WHEN m.role = 'user' THEN x.parts END,
        CASE WHEN n.depth IS NULL OR p.depth < n.depth THEN x.model_messages END,
        CASE WHEN m.role = 'assistant' THEN (
            SELECT jsonb_agg(part) FROM unnest(kinds) AS kind, jsonb_array_elements(x.parts) AS part
            WHERE x.parts @> jsonb_build_array(jsonb_build_object('type', kind)) AND part ->> 'type' = kind
        ) END
    FROM path p
    JOIN messages m ON m.id = p.id
    LEFT JOIN newest n ON true
    CROSS JOIN LATERAL (
        SELECT m.parts, m.model_messages WHERE NOT m.cold
        UNION ALL SELECT c.parts, c.model_messages FROM cold_messages c WHERE m.cold AND c.message_id = m.id
    ) x
    WHERE p.depth > 0
    ORDER BY p.depth DESC
$$;
REVOKE ALL ON FUNCTION leaf_path(answer uuid, kinds text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_path(answer uuid, kinds text[]) TO leaf_app;
REVOKE ALL ON FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) TO leaf_app;

CREATE FUNCTION leaf_public_agent(public_key text) RETURNS TABLE(agent jsonb, secrets text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT to_jsonb(a), ARRAY(
        SELECT s.sealed FROM signing_secrets s
        WHERE s.tenant_id = a.tenant_id AND (s.expires_at IS NULL OR s.expires_at > now()) ORDER BY s.created_at DESC
    )
    FROM agent_keys k JOIN agents a ON a.id = k.agent_id
    WHERE k.key = leaf_public_agent.public_key
$$;
REVOKE ALL ON FUNCTION leaf_public_agent(public_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_public_agent(public_key text) TO leaf_app;

CREATE FUNCTION leaf_purge_chat(chat uuid, older_than interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH gone AS (
        DELETE FROM chat_sessions c
        WHERE c.id = leaf_purge_chat.chat AND c.deleted_at <= now() - leaf_purge_chat.older_than
        RETURNING c.id
    )
    SELECT EXISTS (SELECT FROM gone)
$$;
REVOKE ALL ON FUNCTION leaf_purge_chat(chat uuid, older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_purge_chat(chat uuid, older_than interval) TO leaf_app;

CREATE FUNCTION leaf_purge_security_events(days integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    removed bigint;
BEGIN
    IF days IS NULL OR days < 7 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'security events are kept for a week at least';
    END IF;
    DELETE FROM security_events e WHERE e.created_at < now() - make_interval(days => days);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
REVOKE ALL ON FUNCTION leaf_purge_security_events(days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_purge_security_events(days integer) TO leaf_app;

CREATE FUNCTION leaf_quotes_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE chat_participants p SET changed_at = now() FROM (
        SELECT o.chat_session_id, o.user_id FROM chat_participants o
        WHERE o.chat_session_id = NEW.chat_session_id ORDER BY o.user_id FOR UPDATE
    ) each
    WHERE p.chat_session_id = each.chat_session_id AND p.user_id = each.user_id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_quotes_changed() FROM PUBLIC;

CREATE FUNCTION leaf_recheck_quotes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END, compute_at = CASE WHEN c.call <> '' THEN now() END
        FROM drive_sight s
        WHERE c.file_id = NEW.file_id AND c.unchecked IS NOT NULL AND c.quoted_at > now() - interval '90 days'
            AND s.user_id = c.user_id AND s.file_id = c.file_id AND s.revision = NEW.revision AND s.can_download;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_recheck_quotes() FROM PUBLIC;

CREATE FUNCTION leaf_require_administrator() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF nullif(current_setting('app.administrator', true), '') IS DISTINCT FROM 'yes' THEN
        RAISE insufficient_privilege USING MESSAGE = 'this is for administrators';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION leaf_require_administrator() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_require_administrator() TO leaf_app;

CREATE FUNCTION leaf_restore_chats(chats uuid[]) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_sessions c SET deleted_at = NULL, deleted_by = NULL
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_restore_chats.chats) AND l.deleted_at IS NOT NULL AND l.deleted_by = leaf_user_id()
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;
REVOKE ALL ON FUNCTION leaf_restore_chats(chats uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_restore_chats(chats uuid[]) TO leaf_app;

CREATE FUNCTION leaf_run_begins() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.run_at := now();
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_run_begins() FROM PUBLIC;

CREATE FUNCTION leaf_run_owner(run_id uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.user_id FROM messages m WHERE leaf_user_id() IS NULL AND m.workflow_run_id = leaf_run_owner.run_id
$$;
REVOKE ALL ON FUNCTION leaf_run_owner(run_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_run_owner(run_id uuid) TO leaf_app;

CREATE FUNCTION leaf_search(terms text[], unfinished boolean, most integer) RETURNS TABLE(chat_session_id uuid, message_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $_$
DECLARE
    person uuid := leaf_user_id();
    query tsquery := leaf_search_query(terms, unfinished);
    place text;
    hits integer;
BEGIN
    IF person IS NULL OR query IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT p.chat_session_id, w.message_id
        FROM (
            SELECT c.chat_session_id, c.active_at FROM chat_participants c
            WHERE c.user_id = person AND c.listed ORDER BY c.active_at DESC LIMIT 300
        ) p CROSS JOIN LATERAL (
            SELECT o.message_id, o.position FROM search_words o
            WHERE o.chat_session_id = p.chat_session_id AND o.message_id IS NOT NULL AND (o.words @@ query) IS TRUE
            ORDER BY o.position DESC LIMIT 3
        ) w
        ORDER BY p.active_at DESC, w.position DESC LIMIT most;
    GET DIAGNOSTICS hits = ROW_COUNT;
    IF hits >= most THEN
        RETURN;
    END IF;
    SELECT concat_ws(' | ', format('%L', '@u' || person), string_agg(format('%L', '@c' || c.id), ' | '))
        INTO STRICT place
        FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.user_id = person AND p.listed AND c.created_by <> person;
    RETURN QUERY EXECUTE
        'SELECT h.chat_session_id, h.message_id FROM ('
        'SELECT w.chat_session_id, w.message_id, w.position, p.active_at, '
        'row_number() OVER (PARTITION BY w.chat_session_id ORDER BY w.position DESC) AS place FROM search_words w '
        'JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = $2 AND p.listed '
        'WHERE w.words @@ $1) h WHERE h.place <= 3 ORDER BY h.active_at DESC, h.position DESC LIMIT $3'
        USING query && $mark$'@m'$mark$::tsquery && place::tsquery, person, most;
END
$_$;
REVOKE ALL ON FUNCTION leaf_search(terms text[], unfinished boolean, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_search(terms text[], unfinished boolean, most integer) TO leaf_app;

CREATE FUNCTION leaf_search_query(terms text[], unfinished boolean) RETURNS tsquery
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    made tsquery;
    one tsquery;
BEGIN
    FOR place IN 1 .. coalesce(cardinality(terms), 0) LOOP
        one := phraseto_tsquery('simple', leaf_search_words(terms[place]));
        CONTINUE WHEN numnode(one) = 0;
        IF unfinished AND place = cardinality(terms) THEN
            one := (one::text || ':*')::tsquery;
        END IF;
        made := CASE WHEN made IS NULL THEN one ELSE made && one END;
    END LOOP;
    RETURN made;
END
$$;
REVOKE ALL ON FUNCTION leaf_search_query(terms text[], unfinished boolean) FROM PUBLIC;

CREATE FUNCTION leaf_search_titles(terms text[], unfinished boolean, most integer) RETURNS TABLE(chat_session_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
    SELECT p.chat_session_id FROM chat_participants p JOIN search_words w ON w.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.listed
        AND (w.words @@ (SELECT leaf_search_query(leaf_search_titles.terms, leaf_search_titles.unfinished))) IS TRUE
    ORDER BY p.active_at DESC LIMIT leaf_search_titles.most
$$;
REVOKE ALL ON FUNCTION leaf_search_titles(terms text[], unfinished boolean, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_search_titles(terms text[], unfinished boolean, most integer) TO leaf_app;

CREATE FUNCTION leaf_search_words(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT regexp_replace(
        regexp_replace(lower(normalize(left(written, 100000), NFKD)), '[\u0300-\u036f]+', '', 'g'),
        '[\u0001-\u002f:-@\[-`{-\u00bf\u2000-\u206f\u3000-\u303f\ufe50-\ufe6f]+', ' ', 'g'
    )
$$;
REVOKE ALL ON FUNCTION leaf_search_words(written text) FROM PUBLIC;

CREATE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE(session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamp with time zone, last_seen_at timestamp with time zone, name text, email text, picture_url text, workspace_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.id, s.user_id, w.workspace_id, s.expires_at, s.last_seen_at, coalesce(u.display_name, u.name), u.email,
        u.picture_url, w.name
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    CROSS JOIN LATERAL (
        SELECT m.workspace_id, k.name FROM workspace_members m JOIN workspaces k ON k.id = m.workspace_id
        WHERE m.user_id = s.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE s.token_hash = leaf_session_user.token_hash AND s.expires_at > now()
$$;
REVOKE ALL ON FUNCTION leaf_session_user(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_session_user(token_hash text) TO leaf_app;

CREATE FUNCTION leaf_settle_text() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NEW.state = 'skipped' THEN
        NEW.late := true;
        NEW.settled_at := coalesce(OLD.settled_at, now());
    ELSE
        NEW.settled_at := now();
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_settle_text() FROM PUBLIC;

CREATE FUNCTION leaf_share_content() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.content := leaf_shared_content(NEW.chat_session_id, NEW.message_ids);
    NEW.title := coalesce((SELECT c.title FROM chat_sessions c WHERE c.id = NEW.chat_session_id), '');
    NEW.shared_at := now();
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_share_content() FROM PUBLIC;

CREATE FUNCTION leaf_shared_by(token text) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.created_by, c.workspace_id
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_by.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_shared_by(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_by(token text) TO leaf_app;

CREATE FUNCTION leaf_shared_chat(token text) RETURNS TABLE(title text, content jsonb, shared_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.title, s.content, s.shared_at
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_chat.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_shared_chat(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_chat(token text) TO leaf_app;

CREATE FUNCTION leaf_shared_comparisons(parts jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT coalesce(
        jsonb_agg(jsonb_build_object(
            'on', one ->> 'on', 'same', one -> 'same', 'differences', one -> 'differences', 'notes', one -> 'notes',
            'compared', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object(
                        'file_id', file ->> 'file_id', 'name', file ->> 'name',
                        'url', leaf_web_address(file ->> 'url'), 'modified', file ->> 'modified',
                        'version', file ->> 'version', 'by', file ->> 'by'
                    )),
                    '[]'
                )
                FROM jsonb_path_query(one, '$.compared[*] ? (@.type() == "object")') file
            ),
            'rows', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object(
                        'kind', line ->> 'kind', 'about', line ->> 'about', 'table', line -> 'table',
                        'cells', line -> 'cells'
                    )),
                    '[]'
                )
                FROM jsonb_path_query(one, '$.rows[*] ? (@.cells.type() == "array")') line
            )
        )),
        '[]'
    )
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-comparisons").data[*] ? (@.compared.type() == "array")') one
$_$;
REVOKE ALL ON FUNCTION leaf_shared_comparisons(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_comparisons(parts jsonb) TO leaf_app;

CREATE FUNCTION leaf_shared_content(chat uuid, ids uuid[]) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('role', m.role, 'status', m.status, 'at', m.created_at)
                || leaf_shared_parts(leaf_parts(m))
            ORDER BY chosen.place
        ),
        '[]'
    )
    FROM unnest(ids) WITH ORDINALITY AS chosen (id, place)
    JOIN messages m ON m.id = chosen.id AND m.chat_session_id = chat
    WHERE m.status IN ('completed', 'stopped', 'error')
$$;
REVOKE ALL ON FUNCTION leaf_shared_content(chat uuid, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_content(chat uuid, ids uuid[]) TO leaf_app;

CREATE FUNCTION leaf_shared_coverage(receipt jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    SELECT jsonb_build_object(
        'searches', (SELECT count(*) FROM jsonb_path_query(receipt, '$.searches[*]')),
        'folders', (SELECT count(*) FROM jsonb_path_query(receipt, '$.folders[*]')),
        'found', coalesce(jsonb_path_query_first(receipt, '$.found ? (@.type() == "number")'), '0'),
        'more', coalesce(jsonb_path_query_first(receipt, '$.more ? (@.type() == "boolean")'), 'false'),
        'read', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'name', 'complete', one -> 'complete')), '[]')
            FROM jsonb_path_query(receipt, '$.read[*]') one
        ),
        'skipped', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'name', 'cause', one ->> 'cause')), '[]')
            FROM jsonb_path_query(receipt, '$.skipped[*]') one
        ),
        'failed', (SELECT count(*) FROM jsonb_path_query(receipt, '$.failed[*]')),
        'partial', coalesce(jsonb_path_query_first(receipt, '$.partial ? (@.type() == "number")'), '0'),
        'web_searches', (SELECT count(*) FROM jsonb_path_query(receipt, '$.web.searches[*]')),
        'pages', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'title', 'complete', one -> 'complete')), '[]')
            FROM jsonb_path_query(receipt, '$.web.pages[*]') one
        ),
        'chat_files', (SELECT count(*) FROM jsonb_path_query(receipt, '$.chat_files[*]'))
    )
$_$;
REVOKE ALL ON FUNCTION leaf_shared_coverage(receipt jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_coverage(receipt jsonb) TO leaf_app;

CREATE FUNCTION leaf_shared_moved(token text) RETURNS TABLE(at timestamp with time zone, n integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.created_at, q.n
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    JOIN messages m ON m.id = ANY (s.message_ids) AND m.chat_session_id = s.chat_session_id
    JOIN citations q ON q.message_id = m.id AND q.state IN ('changed', 'gone')
        AND q.quoted_at > now() - interval '90 days'
    WHERE s.token = leaf_shared_moved.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_shared_moved(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_moved(token text) TO leaf_app;

CREATE FUNCTION leaf_shared_parts(parts jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT jsonb_build_object(
        'texts', coalesce(
            jsonb_agg(jsonb_build_object('slot', slot - 1, 'text', part ->> 'text') ORDER BY slot)
                FILTER (WHERE part ->> 'type' = 'text' AND slot <> ALL ((SELECT leaf_narration(parts))::bigint[])),
            '[]'
        ),
        'citations', (
            SELECT coalesce(
                jsonb_agg(jsonb_build_object(
                    'n', one -> 'n', 'verified', one -> 'verified', 'reason', one ->> 'reason', 'name', one ->> 'name',
                    'url', leaf_web_address(one ->> 'url'), 'part', one ->> 'part', 'quote', one ->> 'quote',
                    'at', one -> 'at', 'kind', one ->> 'kind', 'file_id', one ->> 'file_id',
                    'files', one -> 'files', 'formula', one -> 'formula'
                )),
                '[]'
            )
            FROM jsonb_path_query(
                parts,
                '$[*] ? (@.type == "data-citations").data[*] ? (@.n.type() == "number" && @.at.type() == "array")'
            ) one
        ),
        'charts', (
            SELECT coalesce(
                jsonb_agg(jsonb_build_object('slot', place - 1, 'output', jsonb_build_object(
                    'chart', one #> '{output,chart}', 'columns', one #> '{output,columns}',
                    'rows', one #> '{output,rows}', 'more', one #> '{output,more}',
                    'tables', (
                        SELECT coalesce(jsonb_agg(jsonb_build_object('file_id', file)), '[]')
                        FROM jsonb_path_query(one, '$.output.tables[*].file_id') file
                    )
                )) ORDER BY place),
                '[]'
            )
            FROM jsonb_array_elements(parts) WITH ORDINALITY AS drawn (one, place)
            WHERE one ->> 'type' = 'tool-compute' AND one ->> 'state' = 'output-available'
                AND jsonb_typeof(one #> '{output,chart}') = 'object'
        ),
        'coverage', (
            SELECT leaf_shared_coverage(one)
            FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-coverage").data ? (@.type() == "object")') one
            LIMIT 1
        )
    ) || (
        SELECT coalesce(jsonb_object_agg(found.name, found.value), '{}') FROM (VALUES
            ('asked', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object('text', one ->> 'text', 'state', one ->> 'state')),
                    '[]'
                )
                FROM jsonb_path_query(
                    parts, '$[*] ? (@.type == "data-subquestions").data.asked[*] ? (@.text.type() == "string")'
                ) one
            )),
            ('conflicts', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object('about', one ->> 'about', 'sides', (
                        SELECT coalesce(
                            jsonb_agg(jsonb_build_object(
                                'file_id', side ->> 'file_id', 'name', side ->> 'name',
                                'url', leaf_web_address(side ->> 'url'), 'part', side ->> 'part',
                                'quote', side ->> 'quote', 'value', side ->> 'value', 'date', side ->> 'date',
                                'newer', side -> 'newer'
                            )),
                            '[]'
                        )
                        FROM jsonb_path_query(one, '$.sides[*] ? (@.type() == "object")') side
                    ))),
                    '[]'
                )
                FROM jsonb_path_query(
                    parts, '$[*] ? (@.type == "data-conflicts").data[*] ? (@.sides.type() == "array")'
                ) one
            )),
            ('comparisons', leaf_shared_comparisons(parts))
        ) AS found (name, value) WHERE found.value <> '[]'
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$_$;
REVOKE ALL ON FUNCTION leaf_shared_parts(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_shared_parts(parts jsonb) TO leaf_app;

CREATE FUNCTION leaf_sight_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM leaf_touch_lists(n.user_id, array_agg(n.file_id))
            FROM before o JOIN files n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE n.can_download <> o.can_download GROUP BY n.user_id;
    ELSE
        PERFORM leaf_touch_lists(f.user_id, array_agg(f.file_id)) FROM files f GROUP BY f.user_id;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_sight_changed() FROM PUBLIC;

CREATE FUNCTION leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    person uuid;
    called text := coalesce(
        nullif(trim(leaf_sign_in.first_name), ''),
        nullif(split_part(trim(leaf_sign_in.name), ' ', 1), ''),
        split_part(leaf_sign_in.email, '@', 1)
    );
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(leaf_sign_in.provider || ' ' || leaf_sign_in.subject, 0));
    SELECT i.user_id INTO person FROM identities i
        WHERE i.provider = leaf_sign_in.provider AND i.subject = leaf_sign_in.subject;
    IF person IS NOT NULL THEN
        UPDATE identities i SET email = leaf_sign_in.email, updated_at = now()
            WHERE i.provider = leaf_sign_in.provider AND i.subject = leaf_sign_in.subject
            AND i.email <> leaf_sign_in.email;
        UPDATE users u SET email = leaf_sign_in.email, name = leaf_sign_in.name,
            picture_url = leaf_sign_in.picture_url, updated_at = now()
            WHERE u.id = person AND (u.email, u.name, u.picture_url)
            IS DISTINCT FROM (leaf_sign_in.email, leaf_sign_in.name, leaf_sign_in.picture_url);
        DELETE FROM sessions s WHERE s.user_id = person AND s.expires_at <= now();
        PERFORM leaf_ensure_workspace(person, called);
        RETURN person;
    END IF;
    INSERT INTO users (email, name, picture_url)
        VALUES (leaf_sign_in.email, leaf_sign_in.name, leaf_sign_in.picture_url) RETURNING id INTO person;
    INSERT INTO identities (user_id, provider, subject, email)
        VALUES (person, leaf_sign_in.provider, leaf_sign_in.subject, leaf_sign_in.email);
    PERFORM leaf_ensure_workspace(person, called);
    RETURN person;
END
$$;
REVOKE ALL ON FUNCTION leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) TO leaf_app;

CREATE FUNCTION leaf_stay_on_branches(chat uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_participants p
    SET branch_id = (SELECT m.id FROM messages m WHERE m.chat_session_id = chat ORDER BY m.position DESC LIMIT 1)
    WHERE p.chat_session_id = chat AND p.branch_id IS NULL AND leaf_is_participant(chat)
$$;
REVOKE ALL ON FUNCTION leaf_stay_on_branches(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_stay_on_branches(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_stop_answers(chat uuid, person uuid) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    runs uuid[];
BEGIN
    IF NOT (leaf_is_creator(chat) OR person = leaf_user_id()) OR NOT leaf_is_participant(chat) THEN
        RETURN;
    END IF;
    WITH stopped AS (
        UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.chat_session_id = chat AND m.user_id = person AND m.status IN ('pending', 'streaming', 'waiting')
        RETURNING m.workflow_run_id
    )
    SELECT coalesce(array_agg(workflow_run_id), '{}') INTO runs FROM stopped;
    DELETE FROM usage_entries u WHERE u.run_id = ANY (runs) AND u.purpose = 'answer' AND u.requests = 0;
    RETURN QUERY SELECT unnest(runs);
END
$$;
REVOKE ALL ON FUNCTION leaf_stop_answers(chat uuid, person uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_stop_answers(chat uuid, person uuid) TO leaf_app;

CREATE FUNCTION leaf_summary_tools() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.tools := leaf_tools_until(NEW.message_id);
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_summary_tools() FROM PUBLIC;

CREATE FUNCTION leaf_tenant_chat(chat uuid) RETURNS TABLE(agent_id uuid, title text, kind text, subject text, context jsonb, started_at timestamp with time zone, active_at timestamp with time zone, archived boolean, metadata jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.agent_id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL, c.metadata
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    WHERE w.chat_session_id = leaf_tenant_chat.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION leaf_tenant_chat(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_chat(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) RETURNS TABLE(chat_id uuid, title text, kind text, subject text, context jsonb, started_at timestamp with time zone, active_at timestamp with time zone, archived boolean, running boolean, failed boolean, messages bigint, thumbs_up bigint, thumbs_down bigint, tokens numeric, cost_usd numeric)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
#variable_conflict use_column
DECLARE
    query tsquery;
    of_agent text := 'SELECT w.chat_session_id, w.active_at FROM widget_chats w';
    found uuid[];
    recent uuid[];
BEGIN
    IF NOT EXISTS (SELECT FROM agents a WHERE a.id = leaf_tenant_chats.agent AND leaf_is_member(a.tenant_id)) THEN
        RETURN;
    END IF;
    most := least(most, 1000);
    of_agent := of_agent || CASE wanted
        WHEN 'active' THEN ' WHERE (SELECT p.archived_at IS NULL FROM chat_participants p '
            'WHERE p.chat_session_id = w.chat_session_id LIMIT 1)'
        WHEN 'archived' THEN ' JOIN chat_participants p ON p.chat_session_id = w.chat_session_id '
            'WHERE p.archived_at IS NOT NULL'
        WHEN 'running' THEN ' JOIN chat_sessions c ON c.id = w.chat_session_id WHERE c.running'
        WHEN 'failed' THEN ' WHERE w.chat_session_id IN (SELECT m.chat_session_id FROM messages m '
            'WHERE m.status = ''error'')'
        ELSE ' WHERE true' END || ' AND w.agent_id = $1 AND w.listed';
    IF leaf_tenant_chats.sentiment IN ('up', 'down') THEN
        of_agent := of_agent || ' AND w.chat_session_id IN (SELECT m.chat_session_id FROM feedback f '
            'JOIN messages m ON m.id = f.message_id WHERE f.sentiment = $6)';
    END IF;
    IF first_day IS NOT NULL THEN of_agent := of_agent || ' AND w.active_at >= $2'; END IF;
    IF last_day IS NOT NULL THEN of_agent := of_agent || ' AND w.active_at < $3'; END IF;
    IF before_at IS NOT NULL THEN of_agent := of_agent || ' AND (w.active_at, w.chat_session_id) < ($4, $5)'; END IF;
    IF phrase = '' THEN
        EXECUTE 'SELECT array_agg(n.chat_session_id) FROM (' || of_agent
            || ' ORDER BY w.active_at DESC, w.chat_session_id DESC LIMIT $7) n'
            INTO found USING agent, first_day, last_day, before_at, before_id, sentiment, most;
    ELSE
        query := leaf_search_query(ARRAY[phrase], true);
        IF query IS NULL THEN
            RETURN;
        END IF;
        EXECUTE 'SELECT array_agg(n.chat_session_id) FROM (' || of_agent
            || ' ORDER BY w.active_at DESC, w.chat_session_id DESC LIMIT 120) n'
            INTO recent USING agent, first_day, last_day, before_at, before_id, sentiment;
        SELECT array_agg(n.id) INTO found FROM (
            SELECT r.id FROM unnest(recent) WITH ORDINALITY r (id, place)
            WHERE EXISTS (
                SELECT FROM search_words o WHERE o.chat_session_id = r.id AND (o.words @@ query) IS TRUE
            )
            ORDER BY r.place LIMIT most
        ) n;
        IF coalesce(cardinality(found), 0) < most AND coalesce(cardinality(recent), 0) = 120 THEN
            EXECUTE 'WITH hit AS MATERIALIZED (SELECT DISTINCT o.chat_session_id FROM search_words o '
                'WHERE o.words @@ $8) SELECT array_agg(n.chat_session_id) FROM (SELECT l.chat_session_id FROM ('
                || of_agent || ') l JOIN hit ON hit.chat_session_id = l.chat_session_id '
                'ORDER BY l.active_at DESC, l.chat_session_id DESC LIMIT $7) n'
                INTO found USING agent, first_day, last_day, before_at, before_id, sentiment, most,
                    query && quote_literal('@a' || agent)::tsquery;
        END IF;
    END IF;
    RETURN QUERY
        SELECT c.id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
            w.context, w.created_at, w.active_at, p.archived_at IS NOT NULL, c.running, said.failed, said.messages,
            thumbs.up, thumbs.down, used.tokens, used.usd
        FROM unnest(found) WITH ORDINALITY n (id, place)
        JOIN widget_chats w ON w.chat_session_id = n.id
        JOIN chat_sessions c ON c.id = n.id
        JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
        JOIN visitors v ON v.user_id = c.created_by
        CROSS JOIN LATERAL (
            SELECT count(*) AS messages, coalesce(bool_or(m.status = 'error'), false) AS failed
            FROM messages m WHERE m.chat_session_id = c.id
        ) said
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE f.sentiment = 'up') AS up,
                count(*) FILTER (WHERE f.sentiment = 'down') AS down
            FROM feedback f JOIN messages m ON m.id = f.message_id WHERE m.chat_session_id = c.id
        ) thumbs
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0) AS tokens, coalesce(sum(u.cost_usd), 0) AS usd
            FROM usage_entries u WHERE u.chat_session_id = c.id
        ) used
        ORDER BY n.place;
END
$_$;
REVOKE ALL ON FUNCTION leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) TO leaf_app;

CREATE FUNCTION leaf_tenant_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM workspaces w WHERE w.id = OLD.workspace_id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_tenant_deleted() FROM PUBLIC;

CREATE FUNCTION leaf_tenant_failures(chat uuid) RETURNS TABLE(id uuid, failure jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.metadata -> 'errorMessage'
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    WHERE w.chat_session_id = leaf_tenant_failures.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
        AND m.metadata ? 'errorMessage'
$$;
REVOKE ALL ON FUNCTION leaf_tenant_failures(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_failures(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_tenant_left() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM FROM tenants t WHERE t.id = OLD.tenant_id FOR UPDATE;
    DELETE FROM tenants t WHERE t.id = OLD.tenant_id
        AND NOT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = t.id);
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_tenant_left() FROM PUBLIC;

CREATE FUNCTION leaf_tenant_messages(chat uuid) RETURNS TABLE(id uuid, parent_id uuid, role message_role, parts jsonb, status message_status, run_id uuid, model text, error_code text, error_text text, input_tokens integer, output_tokens integer, cost_usd numeric, duration_ms integer, first_text_ms integer, sentiment text, comment text, created_at timestamp with time zone, updated_at timestamp with time zone, metadata jsonb, responses jsonb, compacted_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.parent_id, m.role, leaf_parts(m), m.status, m.workflow_run_id, m.model, m.error_code, m.error_text,
        m.input_tokens, m.output_tokens, m.cost_usd, m.duration_ms, m.first_text_ms, f.sentiment, f.comment,
        m.created_at, m.updated_at, m.metadata -> 'metadata', m.responses, s.created_at
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    LEFT JOIN feedback f ON f.message_id = m.id AND f.run_id = m.workflow_run_id
    LEFT JOIN chat_summaries s ON s.message_id = m.id
    WHERE w.chat_session_id = leaf_tenant_messages.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
    ORDER BY m.position
$$;
REVOKE ALL ON FUNCTION leaf_tenant_messages(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_messages(chat uuid) TO leaf_app;

CREATE FUNCTION leaf_tenant_people(tenant uuid) RETURNS TABLE(user_id uuid, name text, email text, joined_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, coalesce(u.display_name, u.name)::text, u.email, m.joined_at
    FROM tenant_members m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = leaf_tenant_people.tenant AND leaf_is_member(m.tenant_id)
    ORDER BY m.joined_at, u.id
$$;
REVOKE ALL ON FUNCTION leaf_tenant_people(tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_people(tenant uuid) TO leaf_app;

CREATE FUNCTION leaf_tenant_run(run uuid) RETURNS message_status
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.status
    FROM messages m
    JOIN widget_chats w ON w.chat_session_id = m.chat_session_id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    WHERE m.workflow_run_id = leaf_tenant_run.run AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION leaf_tenant_run(run uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_run(run uuid) TO leaf_app;

CREATE FUNCTION leaf_tenant_standing(since date) RETURNS TABLE(tenant_id uuid, monthly_tokens bigint, monthly_usd numeric, tokens numeric, usd numeric, reserved_tokens numeric, reserved_usd numeric)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT t.id, t.monthly_tokens, t.monthly_usd, used.tokens, used.usd, held.tokens, held.usd
    FROM visitors v JOIN tenants t ON t.id = v.tenant_id
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0) AS tokens, coalesce(sum(u.cost_usd), 0) AS usd
        FROM usage_entries u WHERE u.workspace_id = t.workspace_id AND u.day >= since
    ) used
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(m.reserved_tokens), 0) AS tokens, coalesce(sum(m.reserved_usd), 0) AS usd
        FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
        WHERE m.status IN ('pending', 'streaming') AND c.workspace_id = t.workspace_id
    ) held
    WHERE v.user_id = leaf_user_id()
$$;
REVOKE ALL ON FUNCTION leaf_tenant_standing(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_standing(since date) TO leaf_app;

CREATE FUNCTION leaf_tenant_usage(agent uuid, since date) RETURNS TABLE(day date, answers bigint, failed bigint, visitors bigint, tokens numeric, cost_usd numeric, median_ms double precision, first_ms double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.day, count(*) FILTER (WHERE u.purpose = 'answer'), count(*) FILTER (WHERE u.failed),
        count(DISTINCT u.user_id), sum(u.input_tokens + u.output_tokens), coalesce(sum(u.cost_usd), 0),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY u.duration_ms) FILTER (WHERE u.purpose = 'answer'),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY u.first_text_ms) FILTER (WHERE u.purpose = 'answer')
    FROM agents a
    JOIN tenants t ON t.id = a.tenant_id
    JOIN usage_entries u ON u.workspace_id = t.workspace_id AND u.day >= leaf_tenant_usage.since
    JOIN visitors v ON v.user_id = u.user_id AND v.agent_id = a.id
    WHERE a.id = leaf_tenant_usage.agent AND leaf_is_member(a.tenant_id)
    GROUP BY u.day ORDER BY u.day
$$;
REVOKE ALL ON FUNCTION leaf_tenant_usage(agent uuid, since date) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tenant_usage(agent uuid, since date) TO leaf_app;

CREATE FUNCTION leaf_text_language(sample text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT CASE WHEN best.kept <= 0.85 * whole.kept THEN best.language ELSE 'simple' END
    FROM (
        SELECT sum(cardinality(w.positions)) AS kept FROM unnest(to_tsvector('simple', left(sample, 4000))) w
    ) whole, (
        SELECT l.language, coalesce(sum(cardinality(w.positions)), 0) AS kept
        FROM unnest(ARRAY[
            'english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'danish', 'swedish',
            'norwegian', 'finnish', 'hungarian', 'russian', 'turkish'
        ]) WITH ORDINALITY AS l (language, place)
        LEFT JOIN LATERAL unnest(to_tsvector(l.language::regconfig, left(sample, 4000))) w ON true
        GROUP BY l.language, l.place ORDER BY 2, l.place LIMIT 1
    ) best
$$;
REVOKE ALL ON FUNCTION leaf_text_language(sample text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_text_language(sample text) TO leaf_app;

CREATE FUNCTION leaf_texts_in_sight(person uuid, files text[]) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
BEGIN
    RETURN ARRAY(
        SELECT t.id FROM drive_sight s
        JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision AND t.state = 'read'
        WHERE s.user_id = person AND s.can_download AND (files IS NULL OR s.file_id = ANY (files))
    );
END
$$;
REVOKE ALL ON FUNCTION leaf_texts_in_sight(person uuid, files text[]) FROM PUBLIC;

CREATE FUNCTION leaf_tools_until(message uuid) RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    WITH RECURSIVE path AS (
        SELECT m.id, m.parent_id, NULL::text[] AS earlier FROM messages m WHERE m.id = leaf_tools_until.message
        UNION ALL
        SELECT m.id, m.parent_id, s.tools FROM path p JOIN messages m ON m.id = p.parent_id
        LEFT JOIN chat_summaries s ON s.message_id = m.id
        WHERE p.earlier IS NULL
    ), unsummarised AS (
        SELECT leaf_parts(m) AS parts, CASE WHEN m.requests IS NULL THEN leaf_model_messages(m) END AS model_messages
        FROM path p JOIN messages m ON m.id = p.id WHERE p.earlier IS NULL
    ), called AS (
        SELECT unnest(p.earlier) AS tool FROM path p
        UNION SELECT CASE WHEN part ->> 'type' = 'data-attachment' THEN 'read_file'
            ELSE coalesce(part ->> 'toolName', substr(part ->> 'type', 6)) END
        FROM unsummarised u, jsonb_array_elements(u.parts) AS part
        WHERE part ->> 'type' LIKE 'tool-%' OR part ->> 'type' IN ('dynamic-tool', 'data-attachment')
        UNION SELECT part ->> 'tool_name'
        FROM unsummarised u, jsonb_path_query(u.model_messages, '$[*].parts[*] ? (@.part_kind == "tool-return")') AS part
    )
    SELECT coalesce(array_agg(tool ORDER BY tool), '{}') FROM called WHERE tool IS NOT NULL
$_$;
REVOKE ALL ON FUNCTION leaf_tools_until(message uuid) FROM PUBLIC;

CREATE FUNCTION leaf_touch_api_key(token_hash text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE api_keys k SET last_used_at = now() WHERE k.token_hash = leaf_touch_api_key.token_hash
$$;
REVOKE ALL ON FUNCTION leaf_touch_api_key(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_touch_api_key(token_hash text) TO leaf_app;

CREATE FUNCTION leaf_touch_lists(person uuid, files text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_participants p SET changed_at = now() FROM (
        SELECT o.chat_session_id FROM chat_participants o
        WHERE o.user_id = person AND o.chat_session_id IN (
            SELECT c.chat_session_id FROM citations c WHERE c.file_id = ANY (files)
        )
        ORDER BY o.chat_session_id FOR UPDATE
    ) each
    WHERE p.chat_session_id = each.chat_session_id AND p.user_id = person
$$;
REVOKE ALL ON FUNCTION leaf_touch_lists(person uuid, files text[]) FROM PUBLIC;

CREATE FUNCTION leaf_touch_session(token_hash text, expires_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH touched AS (
        UPDATE sessions s SET last_seen_at = now(), expires_at = leaf_touch_session.expires_at
        WHERE s.token_hash = leaf_touch_session.token_hash AND s.expires_at > now()
        RETURNING s.id
    )
    SELECT EXISTS (SELECT FROM touched)
$$;
REVOKE ALL ON FUNCTION leaf_touch_session(token_hash text, expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_touch_session(token_hash text, expires_at timestamp with time zone) TO leaf_app;

CREATE FUNCTION leaf_tree(chat uuid, since timestamp with time zone) RETURNS TABLE(id uuid, parent_id uuid, updated_at timestamp with time zone, summarised boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.parent_id, m.updated_at, s.message_id IS NOT NULL
    FROM messages m LEFT JOIN chat_summaries s ON s.message_id = m.id
    WHERE m.chat_session_id = leaf_tree.chat AND leaf_is_participant(leaf_tree.chat)
        AND (leaf_tree.since IS NULL OR m.updated_at > leaf_tree.since OR s.message_id IS NOT NULL)
    ORDER BY m.position
$$;
REVOKE ALL ON FUNCTION leaf_tree(chat uuid, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tree(chat uuid, since timestamp with time zone) TO leaf_app;

CREATE FUNCTION leaf_unembedded_drives(most integer, made_by text, present_reader integer) RETURNS TABLE(user_id uuid, workspace_id uuid, unread boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id, unread.some
    FROM drive_feeds f
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM drive_sight s
            LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
            WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut') AND (
                t.id IS NULL OR (t.state IN ('reading', 'failed') AND t.retry_at <= now())
                OR (t.state = 'skipped' AND t.reader < present_reader)
            )
        ) AS some
    ) AS unread
    WHERE leaf_user_id() IS NULL AND EXISTS (
        SELECT FROM drive_texts t WHERE t.state = 'read' AND t.vector_model IS DISTINCT FROM made_by
            AND (t.vectors_claimed_until IS NULL OR t.vectors_claimed_until <= now())
    ) AND f.drive_id = '' AND EXISTS (
        SELECT FROM drive_sight s
        JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND t.state = 'read'
            AND t.vector_model IS DISTINCT FROM made_by
            AND (t.vectors_claimed_until IS NULL OR t.vectors_claimed_until <= now())
    )
    ORDER BY unread.some, random() LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_unembedded_drives(most integer, made_by text, present_reader integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_unembedded_drives(most integer, made_by text, present_reader integer) TO leaf_app;

CREATE FUNCTION leaf_unfinished_imports(older_than interval) RETURNS TABLE(import_id uuid, attempts integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, i.attempts FROM imports i
    WHERE leaf_user_id() IS NULL AND i.status IN ('waiting', 'running') AND i.updated_at <= now() - leaf_unfinished_imports.older_than
    ORDER BY i.created_at
$$;
REVOKE ALL ON FUNCTION leaf_unfinished_imports(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_unfinished_imports(older_than interval) TO leaf_app;

CREATE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE(run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE leaf_user_id() IS NULL AND m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.run_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.run_at
$$;
REVOKE ALL ON FUNCTION leaf_unfinished_runs(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_unfinished_runs(older_than interval) TO leaf_app;

CREATE FUNCTION leaf_unread_drives(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE leaf_user_id() IS NULL AND f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
            AND (t.id IS NULL OR t.state IN ('reading', 'failed') AND t.retry_at <= now())
    )
    ORDER BY random()
    LIMIT most
$$;
CREATE FUNCTION leaf_unread_drives(most integer, present_reader integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE leaf_user_id() IS NULL AND f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut') AND (
            t.id IS NULL OR t.state IN ('reading', 'failed', 'skipped') AND t.retry_at <= now()
            OR t.state = 'skipped' AND t.reader < present_reader
        )
    )
    ORDER BY random()
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_unread_drives(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_unread_drives(most integer) TO leaf_app;
REVOKE ALL ON FUNCTION leaf_unread_drives(most integer, present_reader integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_unread_drives(most integer, present_reader integer) TO leaf_app;

CREATE FUNCTION leaf_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.user_id'::text, true), ''::text))::uuid;
REVOKE ALL ON FUNCTION leaf_user_id() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_user_id() TO leaf_app;

CREATE FUNCTION leaf_vector_hits(wanted text[], made_by text, files text[], most integer) RETURNS TABLE(text_id uuid, n integer, likeness double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    AS $$
DECLARE
    seen uuid[] := leaf_texts_in_sight(leaf_user_id(), files);
    first leaf_vectors.halfvec := wanted[1];
    second leaf_vectors.halfvec := wanted[2];
    third leaf_vectors.halfvec := wanted[3];
    fourth leaf_vectors.halfvec := wanted[4];
    first_bits bit(512) := leaf_vectors.binary_quantize(first);
    second_bits bit(512) := leaf_vectors.binary_quantize(second);
    third_bits bit(512) := leaf_vectors.binary_quantize(third);
    fourth_bits bit(512) := leaf_vectors.binary_quantize(fourth);
BEGIN
    RETURN QUERY
        WITH near AS MATERIALIZED (
            SELECT v.text_id, v.n FROM unnest(seen) AS t (id)
            JOIN drive_vectors v ON v.text_id = t.id AND v.model = made_by
            ORDER BY least(
                v.bits OPERATOR(leaf_vectors.<~>) first_bits, v.bits OPERATOR(leaf_vectors.<~>) second_bits,
                v.bits OPERATOR(leaf_vectors.<~>) third_bits, v.bits OPERATOR(leaf_vectors.<~>) fourth_bits
            ), v.text_id, v.n LIMIT 10 * most
        )
        SELECT v.text_id, v.n, 1 - least(
            v.vector OPERATOR(leaf_vectors.<=>) first, v.vector OPERATOR(leaf_vectors.<=>) second,
            v.vector OPERATOR(leaf_vectors.<=>) third, v.vector OPERATOR(leaf_vectors.<=>) fourth
        ) AS likeness
        FROM near JOIN drive_vectors v ON v.text_id = near.text_id AND v.n = near.n
        ORDER BY likeness DESC, v.text_id, v.n LIMIT most;
END
$$;
REVOKE ALL ON FUNCTION leaf_vector_hits(wanted text[], made_by text, files text[], most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_vector_hits(wanted text[], made_by text, files text[], most integer) TO leaf_app;

CREATE FUNCTION leaf_visitor(agent uuid, kind text, subject text, adds boolean) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    person uuid;
    tenant uuid;
    workspace uuid;
BEGIN
    SELECT a.tenant_id, t.workspace_id INTO tenant, workspace
        FROM agents a JOIN tenants t ON t.id = a.tenant_id WHERE a.id = leaf_visitor.agent;
    IF tenant IS NULL THEN
        RETURN;
    END IF;
    SELECT v.user_id INTO person FROM visitors v
        WHERE v.agent_id = leaf_visitor.agent AND v.kind = leaf_visitor.kind AND v.subject = leaf_visitor.subject;
    IF person IS NULL AND leaf_visitor.adds THEN
        PERFORM pg_advisory_xact_lock(
            hashtextextended('leaf:visitor:' || leaf_visitor.agent || leaf_visitor.kind || leaf_visitor.subject, 0)
        );
        SELECT v.user_id INTO person FROM visitors v
            WHERE v.agent_id = leaf_visitor.agent AND v.kind = leaf_visitor.kind AND v.subject = leaf_visitor.subject;
        IF person IS NULL THEN
            INSERT INTO users (email, name) VALUES ('', '') RETURNING id INTO person;
            INSERT INTO workspace_members (workspace_id, user_id) VALUES (workspace, person);
            INSERT INTO visitors (user_id, tenant_id, agent_id, kind, subject)
                VALUES (person, tenant, leaf_visitor.agent, leaf_visitor.kind, leaf_visitor.subject);
        END IF;
    END IF;
    IF person IS NULL THEN
        RETURN;
    END IF;
    IF leaf_visitor.adds THEN
        UPDATE visitors v SET last_seen_at = now() WHERE v.user_id = person;
    END IF;
    RETURN QUERY SELECT person, workspace;
END
$$;
REVOKE ALL ON FUNCTION leaf_visitor(agent uuid, kind text, subject text, adds boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_visitor(agent uuid, kind text, subject text, adds boolean) TO leaf_app;

CREATE FUNCTION leaf_visitor_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM users u WHERE u.id = OLD.user_id;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_visitor_deleted() FROM PUBLIC;

CREATE FUNCTION leaf_wake_drive_feeds(failure text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE drive_feeds f SET retry_at = now()
    FROM (
        SELECT d.user_id, d.drive_id FROM drive_feeds d
        WHERE d.failures > 0 AND d.error = failure AND d.retry_at > now() FOR UPDATE SKIP LOCKED
    ) waiting
    WHERE f.user_id = waiting.user_id AND f.drive_id = waiting.drive_id
$$;
REVOKE ALL ON FUNCTION leaf_wake_drive_feeds(failure text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_wake_drive_feeds(failure text) TO leaf_app;

CREATE FUNCTION leaf_warm_chats() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    moved bigint;
BEGIN
    CREATE TEMPORARY TABLE thawed ON COMMIT DROP AS SELECT * FROM cold_messages;
    CREATE TEMPORARY TABLE thawed_chats ON COMMIT DROP AS
        SELECT c.id, c.updated_at FROM chat_sessions c WHERE c.id IN (SELECT t.chat_session_id FROM thawed t);
    UPDATE messages m SET cold = false, parts = t.parts, model_messages = t.model_messages
        FROM thawed t WHERE t.message_id = m.id;
    GET DIAGNOSTICS moved = ROW_COUNT;
    UPDATE chat_sessions c SET updated_at = t.updated_at FROM thawed_chats t WHERE t.id = c.id;
    DELETE FROM cold_messages;
    RETURN moved;
END
$$;
REVOKE ALL ON FUNCTION leaf_warm_chats() FROM PUBLIC;

CREATE FUNCTION leaf_warm_message() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    kept cold_messages;
BEGIN
    DELETE FROM cold_messages c WHERE c.message_id = OLD.id RETURNING * INTO kept;
    NEW.cold := false;
    IF TG_ARGV[0] = 'parts' THEN
        NEW.model_messages := coalesce(NEW.model_messages, kept.model_messages);
    ELSE
        NEW.parts := kept.parts;
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_warm_message() FROM PUBLIC;

CREATE FUNCTION leaf_web_address(address text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT CASE WHEN address ~ '^https?://' THEN address END $$;
REVOKE ALL ON FUNCTION leaf_web_address(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_web_address(address text) TO leaf_app;

CREATE FUNCTION leaf_widget_chat_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
        FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
    NEW.active_at := coalesce(NEW.active_at, now());
    NEW.listed := coalesce(NEW.listed, false);
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_widget_chat_marks() FROM PUBLIC;

CREATE FUNCTION leaf_word_hits(words text[], files text[], budget integer, most integer) RETURNS TABLE(text_id uuid, n integer, places integer[], weights double precision[], rank double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    AS $$
DECLARE
    seen uuid[] := leaf_texts_in_sight(leaf_user_id(), files);
    queries tsquery[] := ARRAY(
        SELECT leaf_word_query(w.word) FROM unnest(words) WITH ORDINALITY AS w (word, place) ORDER BY w.place
    );
    matching integer[];
    matches bigint[];
    counts integer[];
    chosen integer[];
    wanted tsquery;
    common integer[] := '{}';
    found bigint[];
    kept integer := cardinality(queries);
BEGIN
    SELECT array_agg(m.place), array_agg(m.passage) INTO matching, matches
        FROM leaf_word_matches(seen, queries, budget + 1) m;
    counts := ARRAY(
        SELECT count(m.place)::integer FROM generate_subscripts(queries, 1) AS i
        LEFT JOIN unnest(matching) AS m (place) ON m.place = i GROUP BY i ORDER BY i
    );
    chosen := ARRAY(
        SELECT c.i FROM (
            SELECT i, sum(counts[i]) OVER (ORDER BY counts[i], i) AS passages
            FROM generate_subscripts(counts, 1) AS i WHERE counts[i] BETWEEN 1 AND budget
        ) c WHERE c.passages <= budget
    );
    SELECT string_agg('(' || queries[i]::text || ')', ' | ')::tsquery INTO wanted FROM unnest(chosen) AS i;
    IF wanted IS NOT NULL THEN
        found := ARRAY(
            SELECT DISTINCT m.passage FROM unnest(matching, matches) AS m (place, passage) WHERE m.place = ANY (chosen)
        );
    ELSE
        WHILE kept > 0 LOOP
            SELECT array_agg(i), string_agg('(' || queries[i]::text || ')', ' & ')::tsquery INTO common, wanted
                FROM generate_series(1, kept) AS i WHERE counts[i] > budget;
            IF wanted IS NULL THEN
                RETURN;
            END IF;
            found := ARRAY(SELECT m.passage FROM leaf_word_matches(seen, ARRAY[wanted], budget) m);
            EXIT WHEN kept = 1 OR cardinality(found) >= most;
            kept := kept - 1;
        END LOOP;
    END IF;
    RETURN QUERY
        WITH held AS MATERIALIZED (
            SELECT f.passage, w.place FROM unnest(found) AS f (passage) CROSS JOIN unnest(common) AS w (place)
            UNION ALL
            SELECT f.passage, m.place
            FROM (
                SELECT m.place, m.passage FROM unnest(matching, matches) AS m (place, passage)
                WHERE counts[m.place] <= budget
                UNION ALL
                SELECT m.place, m.passage FROM leaf_word_matches(seen, ARRAY(
                    SELECT CASE WHEN counts[i] > budget AND i <> ALL (common) THEN wanted && queries[i] END
                    FROM generate_subscripts(queries, 1) AS i ORDER BY i
                ), NULL) AS m
            ) AS m
            JOIN unnest(found) AS f (passage) ON f.passage = m.passage
        ), rarity AS MATERIALIZED (
            SELECT h.place, ln(1 + cardinality(found)::float8 / greatest(count(*), counts[h.place])) AS weight
            FROM held h GROUP BY h.place
        ), best AS MATERIALIZED (
            SELECT seen[h.passage >> 32] AS text_id, (h.passage & 4294967295)::integer AS n,
                array_agg(h.place) AS held_places
            FROM held h JOIN rarity r ON r.place = h.place
            GROUP BY h.passage ORDER BY sum(r.weight) DESC, 1, 2 LIMIT 2 * most
        ), unpacked AS MATERIALIZED (
            SELECT b.*, c.words || ''::tsvector AS lexemes
            FROM best b JOIN drive_chunks c ON c.text_id = b.text_id AND c.n = b.n
        ), ranked AS MATERIALIZED (
            SELECT u.text_id, u.n, r.place, r.weight, ts_rank(u.lexemes, queries[r.place], 1) AS rank
            FROM unpacked u JOIN rarity r ON r.place = ANY (u.held_places)
        )
        SELECT k.text_id, k.n, array_agg(k.place), array_agg(k.weight), sum(k.rank * k.weight)
        FROM ranked k GROUP BY k.text_id, k.n
        ORDER BY sum(k.weight * (1 + k.rank)) DESC, k.text_id, k.n LIMIT most;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_hits(words text[], files text[], budget integer, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_word_hits(words text[], files text[], budget integer, most integer) TO leaf_app;

CREATE FUNCTION leaf_word_matches(texts uuid[], queries tsquery[], most integer) RETURNS TABLE(place integer, passage bigint)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_nestloop TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    RETURN QUERY
        SELECT q.place::integer, m.passage FROM unnest(queries) WITH ORDINALITY AS q (query, place)
        CROSS JOIN LATERAL (
            SELECT t.place << 32 | c.n AS passage
            FROM drive_chunks c JOIN unnest((SELECT texts)) WITH ORDINALITY AS t (id, place) ON t.id = c.text_id
            WHERE c.words @@ q.query LIMIT most
        ) AS m
        WHERE q.query IS NOT NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_matches(texts uuid[], queries tsquery[], most integer) FROM PUBLIC;

CREATE FUNCTION leaf_word_query(word text) RETURNS tsquery
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    made tsquery := plainto_tsquery('simple', word);
    stemmed tsquery;
    language text;
BEGIN
    FOREACH language IN ARRAY ARRAY[
        'english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'danish', 'swedish', 'norwegian',
        'finnish', 'hungarian', 'russian', 'turkish'
    ] LOOP
        stemmed := plainto_tsquery(language::regconfig, word);
        IF NOT made @> stemmed THEN
            made := made || stemmed;
        END IF;
    END LOOP;
    RETURN made;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_query(word text) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_word_query(word text) TO leaf_app;

CREATE FUNCTION leaf_workspace_in(chat uuid) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.workspace_id FROM workspace_members w
    WHERE w.user_id = leaf_user_id()
    ORDER BY w.workspace_id IN (SELECT c.workspace_id FROM chat_sessions c WHERE c.id = chat) DESC, w.created_at
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION leaf_workspace_in(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_workspace_in(chat uuid) TO leaf_app;
