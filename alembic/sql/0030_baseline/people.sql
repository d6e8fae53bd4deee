-- Members: accounts, identities at sign-in providers, browser sessions, API keys, workspaces, settings, integrations.

CREATE TYPE integration_provider AS ENUM ('google_drive');
CREATE TYPE integration_status AS ENUM ('active', 'error', 'revoked');

-- The name comes from the identity provider and is renewed at each sign-in; display_name is the person's own choice.
-- Visitors of sites are rows without an e-mail address (sites.sql).
CREATE TABLE users (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email text NOT NULL,
    name text NOT NULL,
    picture_url text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    display_name varchar(80) CONSTRAINT users_display_name_check CHECK (display_name ~ '\S')
);
CREATE INDEX users_lower_email_idx ON users (lower(email));

GRANT SELECT, UPDATE (name, display_name, picture_url, updated_at) ON users TO leaf_app;
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_select ON users FOR SELECT TO leaf_app USING (id = (SELECT leaf_user_id()));
CREATE POLICY users_update ON users FOR UPDATE TO leaf_app
    USING (id = (SELECT leaf_user_id())) WITH CHECK (id = (SELECT leaf_user_id()));

-- Written by leaf_sign_in alone.
CREATE TABLE identities (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (provider, subject)
);
CREATE INDEX identities_user_id_idx ON identities (user_id);

GRANT SELECT ON identities TO leaf_app;
ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY identities_select ON identities FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));

CREATE TABLE sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash text NOT NULL UNIQUE,
    user_agent text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);

GRANT SELECT, INSERT, DELETE ON sessions TO leaf_app;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_select ON sessions FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY sessions_insert ON sessions FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY sessions_delete ON sessions FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- API keys for a person's programs. Only the hash is kept, and nothing of a key is ever changed: a key with other
-- rights is a new key.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL CONSTRAINT api_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    hint text NOT NULL CONSTRAINT api_keys_hint_check CHECK (char_length(hint) <= 20),
    token_hash text NOT NULL UNIQUE,
    scopes text[] NOT NULL CONSTRAINT api_keys_scopes_check CHECK (
        scopes <@ ARRAY['read', 'write', 'drive'] AND cardinality(scopes) BETWEEN 1 AND 3
    ),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz
);
CREATE INDEX api_keys_user_id_idx ON api_keys (user_id);

GRANT SELECT, INSERT, DELETE ON api_keys TO leaf_app;
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_select ON api_keys FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY api_keys_insert ON api_keys FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY api_keys_delete ON api_keys FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- Each person has a personal workspace; each site has a workspace of its own (sites.sql).
CREATE TABLE workspaces (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name varchar(255) NOT NULL,
    personal_user_id uuid UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspace_members (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX workspace_members_user_id_idx ON workspace_members (user_id);

GRANT SELECT ON workspaces TO leaf_app;
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_select ON workspaces FOR SELECT TO leaf_app
    USING (id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id()));

GRANT SELECT ON workspace_members TO leaf_app;
ALTER TABLE workspace_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_members_select ON workspace_members FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));

-- A person's preferences for all of their chats; the row exists once something was chosen.
CREATE TABLE user_settings (
    user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    search_mode text,
    model_type text,
    instructions text NOT NULL DEFAULT ''
        CONSTRAINT user_settings_instructions_check CHECK (char_length(instructions) <= 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT, INSERT, UPDATE (search_mode, model_type, instructions, updated_at) ON user_settings TO leaf_app;
ALTER TABLE user_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_settings_select ON user_settings FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY user_settings_insert ON user_settings FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY user_settings_update ON user_settings FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));

-- A connection to a provider such as Google Drive. Its tokens belong to a person within a workspace; a token shared by
-- a workspace would be a table of its own.
CREATE TABLE integrations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    provider integration_provider NOT NULL,
    status integration_status NOT NULL DEFAULT 'active',
    status_reason text,
    provider_account_email text,
    access_token text NOT NULL,
    refresh_token text,
    token_expires_at timestamptz,
    scopes text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, workspace_id, provider)
);
CREATE INDEX integrations_workspace_id_idx ON integrations (workspace_id);

GRANT SELECT, INSERT, DELETE, UPDATE (
    status, status_reason, provider_account_email, access_token, refresh_token, token_expires_at, scopes, updated_at
) ON integrations TO leaf_app;
ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY integrations_select ON integrations FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY integrations_insert ON integrations FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY integrations_update ON integrations FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY integrations_delete ON integrations FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- Returns the person behind an account at an identity provider. The first call creates the person, the identity, the
-- personal workspace and the membership. An e-mail address does not merge accounts: the same address at another
-- provider is another person here, since not every provider proves that the address belongs to its account.
CREATE FUNCTION leaf_sign_in(
    provider text, subject text, email text, name text, first_name text, picture_url text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    person uuid;
    workspace uuid;
    called text := coalesce(
        nullif(trim(leaf_sign_in.first_name), ''),
        nullif(split_part(trim(leaf_sign_in.name), ' ', 1), ''),
        split_part(leaf_sign_in.email, '@', 1)
    );
BEGIN
    -- Simultaneous first sign-ins wait for one another here; the later ones then find the identity.
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
        RETURN person;
    END IF;
    INSERT INTO users (email, name, picture_url)
        VALUES (leaf_sign_in.email, leaf_sign_in.name, leaf_sign_in.picture_url) RETURNING id INTO person;
    INSERT INTO identities (user_id, provider, subject, email)
        VALUES (person, leaf_sign_in.provider, leaf_sign_in.subject, leaf_sign_in.email);
    INSERT INTO workspaces (name, personal_user_id)
        VALUES (left(called, 200) || '''s Workspace', person) RETURNING id INTO workspace;
    INSERT INTO workspace_members (workspace_id, user_id) VALUES (workspace, person);
    RETURN person;
END
$$;

-- Everything that each page needs to know about a session, in one round trip.
CREATE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamptz, last_seen_at timestamptz,
    name text, email text, picture_url text, workspace_name text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

-- Marks a session as used and moves its end. Returns false for a session that has ended: it is never revived.
CREATE FUNCTION leaf_touch_session(token_hash text, expires_at timestamptz) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH touched AS (
        UPDATE sessions s SET last_seen_at = now(), expires_at = leaf_touch_session.expires_at
        WHERE s.token_hash = leaf_touch_session.token_hash AND s.expires_at > now()
        RETURNING s.id
    )
    SELECT EXISTS (SELECT FROM touched)
$$;

-- The owner and the scopes of an API key; no row for a key that is unknown or has expired.
CREATE FUNCTION leaf_api_key(token_hash text) RETURNS TABLE (
    key_id uuid, user_id uuid, workspace_id uuid, scopes text[], last_used_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT k.id, k.user_id, w.workspace_id, k.scopes, k.last_used_at
    FROM api_keys k
    CROSS JOIN LATERAL (
        SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = k.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE k.token_hash = leaf_api_key.token_hash AND (k.expires_at IS NULL OR k.expires_at > now())
$$;

-- Marks an API key as used.
CREATE FUNCTION leaf_touch_api_key(token_hash text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE api_keys k SET last_used_at = now() WHERE k.token_hash = leaf_touch_api_key.token_hash
$$;

-- Deletes the calling person with all of their data, and returns the runs whose streams must be deleted. A chat with
-- other participants goes on: it passes to the remaining participant who joined first, and the person's messages lose
-- their author.
CREATE FUNCTION leaf_delete_account() RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    person uuid := leaf_user_id();
BEGIN
    -- Lock the chats first, in the order in which runs lock them, and then the person. A row that another transaction
    -- writes in the person's name at this moment is either written before, and deleted, or refused by its foreign key.
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
    -- Without the person, nobody could end these answers or reply to them.
    UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.user_id = person AND m.role = 'assistant' AND m.status IN ('pending', 'streaming', 'waiting');
    UPDATE messages m SET updated_at = now() WHERE m.user_id = person;
    DELETE FROM users u WHERE u.id = person;
END
$$;

GRANT EXECUTE ON FUNCTION
    leaf_sign_in(text, text, text, text, text, text),
    leaf_session_user(text),
    leaf_touch_session(text, timestamptz),
    leaf_api_key(text),
    leaf_touch_api_key(text),
    leaf_delete_account()
TO leaf_app;
