-- Sites: websites with an agent of their own, and their visitors.
--
-- In the tables a site is called `tenant`. It has members, who are members of this Leaf; agents; the agents' public
-- keys; and secrets with which the site's own servers sign the identity of a visitor.

CREATE TABLE tenants (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL UNIQUE REFERENCES workspaces (id) ON DELETE CASCADE,
    name text NOT NULL CONSTRAINT tenants_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    monthly_tokens bigint CONSTRAINT tenants_monthly_tokens_check CHECK (monthly_tokens > 0),
    monthly_usd numeric CONSTRAINT tenants_monthly_usd_check CHECK (monthly_usd > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tenant_members (
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    joined_at timestamptz NOT NULL DEFAULT now(),
    -- The member has seen the budget alerts up to this time.
    alerts_seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX tenant_members_user_id_idx ON tenant_members (user_id);

CREATE TABLE tenant_invitations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    created_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX tenant_invitations_tenant_id_idx ON tenant_invitations (tenant_id);
CREATE INDEX tenant_invitations_created_by_idx ON tenant_invitations (created_by);

CREATE TABLE agents (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name text NOT NULL CONSTRAINT agents_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    system_prompt text NOT NULL DEFAULT ''
        CONSTRAINT agents_system_prompt_check CHECK (char_length(system_prompt) <= 20000),
    model text,
    temperature double precision CONSTRAINT agents_temperature_check CHECK (temperature BETWEEN 0 AND 2),
    tools text[] NOT NULL DEFAULT '{}' CONSTRAINT agents_tools_check CHECK (cardinality(tools) <= 20),
    output_schema jsonb CONSTRAINT agents_output_schema_check CHECK (jsonb_typeof(output_schema) = 'object'),
    context_injection jsonb NOT NULL DEFAULT '{}'::jsonb
        CONSTRAINT agents_context_injection_check CHECK (jsonb_typeof(context_injection) = 'object'),
    origins text[] NOT NULL DEFAULT '{}' CONSTRAINT agents_origins_check CHECK (cardinality(origins) <= 50),
    identity text NOT NULL DEFAULT 'any' CONSTRAINT agents_identity_check CHECK (identity IN ('any', 'proven', 'signed')),
    welcome text NOT NULL DEFAULT '' CONSTRAINT agents_welcome_check CHECK (char_length(welcome) <= 1000),
    suggestions text[] NOT NULL DEFAULT '{}' CONSTRAINT agents_suggestions_check CHECK (cardinality(suggestions) <= 6),
    look jsonb NOT NULL DEFAULT '{}'::jsonb CONSTRAINT agents_look_check CHECK (jsonb_typeof(look) = 'object'),
    visitor_daily integer NOT NULL DEFAULT 100 CONSTRAINT agents_visitor_daily_check CHECK (visitor_daily > 0),
    agent_daily integer NOT NULL DEFAULT 2000 CONSTRAINT agents_agent_daily_check CHECK (agent_daily > 0),
    retention_days integer CONSTRAINT agents_retention_days_check CHECK (retention_days BETWEEN 1 AND 3650),
    paused boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Whether requests to models are kept word for word (provider_logs).
    provider_logs boolean NOT NULL DEFAULT false,
    -- Declarations of tools that run in the pages of the site (leaf/parts/client_tools).
    client_tools jsonb NOT NULL DEFAULT '[]'::jsonb
        CONSTRAINT agents_client_tools_check CHECK (jsonb_typeof(client_tools) = 'array'),
    -- Whether visitors may send files with their messages.
    attachments boolean NOT NULL DEFAULT false,
    UNIQUE (tenant_id, id)
);
CREATE INDEX agents_origins_idx ON agents USING gin (origins);

-- A public key is embedded in the pages of a site. It is no secret, and members can read it again at any time.
CREATE TABLE agent_keys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL CONSTRAINT agent_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    key text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_keys_tenant_id_agent_id_idx ON agent_keys (tenant_id, agent_id);

CREATE TABLE signing_secrets (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    hint text NOT NULL CONSTRAINT signing_secrets_hint_check CHECK (char_length(hint) <= 24),
    sealed text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
);
CREATE INDEX signing_secrets_tenant_id_idx ON signing_secrets (tenant_id);

-- A site visitor is a row of users to which no sign-in leads, so that chats, messages, runs, the usage ledger and their
-- policies hold for visitors as well. This table holds the visitor's identity at the site.
CREATE TABLE visitors (
    user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT visitors_kind_check CHECK (kind IN ('session', 'trusted', 'signed', 'member')),
    subject text NOT NULL CONSTRAINT visitors_subject_check CHECK (char_length(subject) BETWEEN 1 AND 255),
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE,
    UNIQUE (agent_id, kind, subject)
);
CREATE INDEX visitors_tenant_id_agent_id_idx ON visitors (tenant_id, agent_id);

-- The additional data of a site visitor's chat. active_at and listed are kept by triggers, for the list of an agent's
-- conversations.
CREATE TABLE widget_chats (
    chat_session_id uuid PRIMARY KEY REFERENCES chat_sessions (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    context jsonb NOT NULL DEFAULT '{}'::jsonb CONSTRAINT widget_chats_context_check
        CHECK (jsonb_typeof(context) = 'object' AND pg_column_size(context) <= 40000),
    created_at timestamptz NOT NULL DEFAULT now(),
    active_at timestamptz NOT NULL DEFAULT now(),
    listed boolean NOT NULL DEFAULT false,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX widget_chats_tenant_id_agent_id_created_at_idx ON widget_chats (tenant_id, agent_id, created_at DESC);
CREATE INDEX widget_chats_listed_idx ON widget_chats (agent_id, active_at DESC, chat_session_id DESC) WHERE listed;


-- Rights

-- Whether the person is a member of the site.
CREATE FUNCTION leaf_is_member(tenant uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = tenant AND m.user_id = leaf_user_id())
$$;

-- Whether the transaction acts for a site visitor.
CREATE FUNCTION leaf_is_visitor() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM visitors v WHERE v.user_id = leaf_user_id())
$$;

GRANT EXECUTE ON FUNCTION leaf_is_member(uuid), leaf_is_visitor() TO leaf_app;

GRANT SELECT, DELETE, UPDATE (name, monthly_tokens, monthly_usd, updated_at) ON tenants TO leaf_app;
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants_select ON tenants FOR SELECT TO leaf_app USING (leaf_is_member(id));
CREATE POLICY tenants_update ON tenants FOR UPDATE TO leaf_app USING (leaf_is_member(id)) WITH CHECK (leaf_is_member(id));
CREATE POLICY tenants_delete ON tenants FOR DELETE TO leaf_app USING (leaf_is_member(id));

GRANT SELECT, DELETE, UPDATE (alerts_seen_at) ON tenant_members TO leaf_app;
ALTER TABLE tenant_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_members_select ON tenant_members FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY tenant_members_update ON tenant_members FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY tenant_members_delete ON tenant_members FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));

GRANT SELECT, INSERT, DELETE ON tenant_invitations TO leaf_app;
ALTER TABLE tenant_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_invitations_select ON tenant_invitations FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY tenant_invitations_insert ON tenant_invitations FOR INSERT TO leaf_app
    WITH CHECK (leaf_is_member(tenant_id) AND created_by = (SELECT leaf_user_id()));
CREATE POLICY tenant_invitations_delete ON tenant_invitations FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));

GRANT SELECT, INSERT, DELETE, UPDATE (
    name, system_prompt, model, temperature, tools, output_schema, context_injection, origins, identity, welcome,
    suggestions, look, visitor_daily, agent_daily, retention_days, paused, provider_logs, client_tools, attachments,
    updated_at
) ON agents TO leaf_app;
ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
CREATE POLICY agents_select ON agents FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agents_insert ON agents FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agents_update ON agents FOR UPDATE TO leaf_app
    USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agents_delete ON agents FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));

GRANT SELECT, INSERT, DELETE ON agent_keys TO leaf_app;
ALTER TABLE agent_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_keys_select ON agent_keys FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY agent_keys_insert ON agent_keys FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY agent_keys_delete ON agent_keys FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));

GRANT SELECT, INSERT, DELETE, UPDATE (expires_at, sealed) ON signing_secrets TO leaf_app;
ALTER TABLE signing_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY signing_secrets_select ON signing_secrets FOR SELECT TO leaf_app USING (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_insert ON signing_secrets FOR INSERT TO leaf_app WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_update ON signing_secrets FOR UPDATE TO leaf_app
    USING (leaf_is_member(tenant_id)) WITH CHECK (leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_delete ON signing_secrets FOR DELETE TO leaf_app USING (leaf_is_member(tenant_id));

GRANT SELECT ON visitors TO leaf_app;
ALTER TABLE visitors ENABLE ROW LEVEL SECURITY;
CREATE POLICY visitors_select ON visitors FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) OR leaf_is_member(tenant_id));

-- A chat always belongs to the agent whose visitor its creator is: no request can name another agent.
GRANT SELECT, INSERT, UPDATE (context) ON widget_chats TO leaf_app;
ALTER TABLE widget_chats ENABLE ROW LEVEL SECURITY;
CREATE POLICY widget_chats_select ON widget_chats FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id) OR leaf_is_member(tenant_id));
CREATE POLICY widget_chats_insert ON widget_chats FOR INSERT TO leaf_app WITH CHECK (
    leaf_is_creator(chat_session_id)
    AND (tenant_id, agent_id) IN (SELECT v.tenant_id, v.agent_id FROM visitors v WHERE v.user_id = leaf_user_id())
);
CREATE POLICY widget_chats_update ON widget_chats FOR UPDATE TO leaf_app
    USING (leaf_is_participant(chat_session_id)) WITH CHECK (leaf_is_participant(chat_session_id));

-- A site visitor creates chats and asks in them, and can do nothing else that a member can.
CREATE POLICY sessions_no_visitor ON sessions AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY api_keys_no_visitor ON api_keys AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY integrations_no_visitor ON integrations AS RESTRICTIVE FOR INSERT TO leaf_app
    WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY chat_shares_no_visitor ON chat_shares AS RESTRICTIVE FOR INSERT TO leaf_app
    WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY chat_invitations_no_visitor ON chat_invitations AS RESTRICTIVE FOR INSERT TO leaf_app
    WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY imports_no_visitor ON imports AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());


-- Members of a site

-- Creates a site with its workspace, to which its visitors' chats and their usage belong, and its first member.
CREATE FUNCTION leaf_new_tenant(name text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

-- Makes the person a member by the token of an invitation, which can be used once.
CREATE FUNCTION leaf_join_tenant(token_hash text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

CREATE FUNCTION leaf_tenant_people(tenant uuid) RETURNS TABLE (user_id uuid, name text, email text, joined_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.id, coalesce(u.display_name, u.name)::text, u.email, m.joined_at
    FROM tenant_members m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = leaf_tenant_people.tenant AND leaf_is_member(m.tenant_id)
    ORDER BY m.joined_at, u.id
$$;

GRANT EXECUTE ON FUNCTION leaf_new_tenant(text), leaf_join_tenant(text), leaf_tenant_people(uuid) TO leaf_app;


-- Deletion: a site goes with its last member, its workspace goes with the site, a visitor's row of users goes with the
-- visitor, and the visitor's chats go with that row.

CREATE FUNCTION leaf_tenant_left() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    -- Of two members who leave at the same moment, the second one sees that no member remains.
    PERFORM FROM tenants t WHERE t.id = OLD.tenant_id FOR UPDATE;
    DELETE FROM tenants t WHERE t.id = OLD.tenant_id
        AND NOT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = t.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tenant_members_left AFTER DELETE ON tenant_members FOR EACH ROW EXECUTE FUNCTION leaf_tenant_left();

CREATE FUNCTION leaf_tenant_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    DELETE FROM workspaces w WHERE w.id = OLD.workspace_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER tenants_deleted AFTER DELETE ON tenants FOR EACH ROW EXECUTE FUNCTION leaf_tenant_deleted();

CREATE FUNCTION leaf_visitor_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    DELETE FROM users u WHERE u.id = OLD.user_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER visitors_deleted AFTER DELETE ON visitors FOR EACH ROW EXECUTE FUNCTION leaf_visitor_deleted();


-- Visitors

-- The agent of a public key, and the secrets with which its site signs; no row for an unknown key.
CREATE FUNCTION leaf_public_agent(public_key text) RETURNS TABLE (agent jsonb, secrets text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT to_jsonb(a), ARRAY(
        SELECT s.sealed FROM signing_secrets s
        WHERE s.tenant_id = a.tenant_id AND (s.expires_at IS NULL OR s.expires_at > now()) ORDER BY s.created_at DESC
    )
    FROM agent_keys k JOIN agents a ON a.id = k.agent_id
    WHERE k.key = leaf_public_agent.public_key
$$;

-- Whether any agent allows an origin. A preflight request carries no key, so no more can be checked.
CREATE FUNCTION leaf_origin_allowed(origin text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM agents a WHERE a.origins @> ARRAY[leaf_origin_allowed.origin])
$$;

-- The visitor of an agent with this identity. With `adds`, an unknown visitor is created and a known one is marked as
-- seen.
CREATE FUNCTION leaf_visitor(agent uuid, kind text, subject text, adds boolean)
RETURNS TABLE (user_id uuid, workspace_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

-- Moves the chats of a browser's session to the visitor who has signed in there; the caller has proved to be both. A
-- chat in which an answer is being written waits for the next call, because its worker acts for the asker.
CREATE FUNCTION leaf_merge_visitor(session_visitor uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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
    -- Lock first and select afterwards: the selection then includes questions that were asked during the wait.
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

-- The agent that answers in a chat, and the context that the visitor's page has sent; the worker needs both.
CREATE FUNCTION leaf_agent_of_chat(chat uuid) RETURNS TABLE (agent jsonb, context jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT to_jsonb(a), w.context FROM widget_chats w JOIN agents a ON a.id = w.agent_id
    WHERE w.chat_session_id = leaf_agent_of_chat.chat AND leaf_is_participant(w.chat_session_id)
$$;

-- The budgets of the visitor's site since a day: limits, used and reserved amounts; sums without any person's share.
CREATE FUNCTION leaf_tenant_standing(since date) RETURNS TABLE (
    tenant_id uuid, monthly_tokens bigint, monthly_usd numeric, tokens numeric, usd numeric, reserved_tokens numeric,
    reserved_usd numeric
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

-- Fills in the list columns of a visitor's new chat; leaf_chat_listing keeps them afterwards.
CREATE FUNCTION leaf_widget_chat_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
        FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
    -- Without a chat, the foreign key refuses the row.
    NEW.active_at := coalesce(NEW.active_at, now());
    NEW.listed := coalesce(NEW.listed, false);
    RETURN NEW;
END
$$;
CREATE TRIGGER widget_chats_marks BEFORE INSERT ON widget_chats FOR EACH ROW EXECUTE FUNCTION leaf_widget_chat_marks();

-- The search mark of the agent (search.sql); empty in a member's chat.
CREATE FUNCTION leaf_agent_mark(chat uuid) RETURNS tsvector
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce(
        (SELECT array_to_tsvector(ARRAY['@a' || w.agent_id::text]) FROM widget_chats w WHERE w.chat_session_id = chat),
        ''::tsvector
    )
$$;

-- Deletes chats that are older than their agent's retention time, for leaf_purge_chat to remove, and removes visitors
-- without chats after 95 days: their usage is shown for 90. Returns the number of chats.
CREATE FUNCTION leaf_expire_widget_chats() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

GRANT EXECUTE ON FUNCTION
    leaf_public_agent(text),
    leaf_origin_allowed(text),
    leaf_visitor(uuid, text, text, boolean),
    leaf_merge_visitor(uuid),
    leaf_agent_of_chat(uuid),
    leaf_tenant_standing(date),
    leaf_expire_widget_chats()
TO leaf_app;
