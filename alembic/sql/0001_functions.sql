-- The role whose rights the application uses. Roles belong to the cluster, not to the database: another database may
-- have created it, or be creating it at this moment.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'leaf_app') THEN
        BEGIN
            CREATE ROLE leaf_app NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    -- SET ROLE needs membership, which a superuser has anyway. PostgreSQL 16 tells the right to SET from membership.
    IF NOT pg_has_role(
        current_user,
        'leaf_app',
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END
    ) THEN
        EXECUTE format('GRANT leaf_app TO %I', current_user);
    END IF;
END
$$;

-- Whom the transaction acts for. A setting that was once local to a pooled connection comes back as an empty string.
CREATE FUNCTION leaf_user_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.user_id', true), '')::uuid;

-- The functions below run with the rights of the tables' owner: they are the few things that happen before, or
-- without, a person. In their search_path pg_temp stands last, since it would otherwise be searched first, and a
-- temporary table could take the place of a real one.

CREATE FUNCTION leaf_is_participant(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM chat_participants p WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id())
$$;

-- Needed by the policy of chat_participants: a creator who is no participant yet does not see the chat.
CREATE FUNCTION leaf_is_creator(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM chat_sessions c WHERE c.id = chat AND c.created_by = leaf_user_id())
$$;

-- The person behind an account at an identity provider; at the first call the person, the identity, the personal
-- workspace and the membership are made. An e-mail address does not merge accounts: the same address at another
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
    -- Simultaneous first callbacks wait for one another here; the later ones then find the identity.
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

CREATE FUNCTION leaf_session_user(token_hash text) RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamptz, last_seen_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.id, s.user_id, w.workspace_id, s.expires_at, s.last_seen_at
    FROM sessions s
    CROSS JOIN LATERAL (
        SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = s.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE s.token_hash = leaf_session_user.token_hash AND s.expires_at > now()
$$;

-- Marks a session as used and moves its end. False where it has ended already: an ended session is never revived.
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

CREATE FUNCTION leaf_unfinished_runs(older_than interval) RETURNS TABLE (
    run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status message_status, created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant'
        AND m.created_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.created_at
$$;

CREATE FUNCTION leaf_run_owner(run_id uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.user_id FROM messages m WHERE m.workflow_run_id = leaf_run_owner.run_id
$$;
