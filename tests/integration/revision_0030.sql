-- A database at revision 0030, made by the 28 migrations before the baseline and filled through the services of version
-- 0.1.0 with people of example.org: pg_dump without comments. Restored by test_upgrade.py; never changed.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.integration_provider AS ENUM (
    'google_drive'
);
CREATE TYPE public.integration_status AS ENUM (
    'active',
    'error',
    'revoked'
);
CREATE TYPE public.message_role AS ENUM (
    'user',
    'assistant'
);
CREATE TYPE public.message_status AS ENUM (
    'pending',
    'streaming',
    'completed',
    'error',
    'stopped',
    'waiting'
);
CREATE FUNCTION public.leaf_accept_invitation(invitation uuid) RETURNS uuid
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
CREATE FUNCTION public.leaf_account_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO security_events (kind) VALUES ('account_deleted');
    RETURN NULL;
END
$$;
CREATE FUNCTION public.leaf_admin_failures(most integer) RETURNS TABLE(run_id uuid, ended_at timestamp with time zone, error_code text, model text)
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
CREATE FUNCTION public.leaf_admin_feedback(wanted text, most integer) RETURNS TABLE(id uuid, created_at timestamp with time zone, sentiment text, comment text, page text, user_agent text, email text, run_id uuid, model text)
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
CREATE FUNCTION public.leaf_admin_health() RETURNS TABLE(server_version text, revision text, size_bytes bigint, unfinished bigint)
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
CREATE FUNCTION public.leaf_admin_security_events(most integer) RETURNS TABLE(id uuid, created_at timestamp with time zone, kind text, about text, network text, user_agent text, email text)
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
CREATE FUNCTION public.leaf_admin_usage(since date) RETURNS TABLE(day date, people bigint, requests numeric, tokens numeric, cost_usd numeric)
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
CREATE FUNCTION public.leaf_admin_users(since date) RETURNS TABLE(user_id uuid, name text, email text, created_at timestamp with time zone, last_seen_at timestamp with time zone, chats bigint, tokens numeric, cost_usd numeric)
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
CREATE FUNCTION public.leaf_agent_mark(chat uuid) RETURNS tsvector
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT coalesce(
        (SELECT array_to_tsvector(ARRAY['@a' || w.agent_id::text]) FROM widget_chats w WHERE w.chat_session_id = chat),
        ''::tsvector
    )
$$;
CREATE FUNCTION public.leaf_agent_of_chat(chat uuid) RETURNS TABLE(agent jsonb, context jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT to_jsonb(a), w.context FROM widget_chats w JOIN agents a ON a.id = w.agent_id
    WHERE w.chat_session_id = leaf_agent_of_chat.chat AND leaf_is_participant(w.chat_session_id)
$$;
CREATE FUNCTION public.leaf_answer_usage() RETURNS trigger
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
CREATE FUNCTION public.leaf_api_key(token_hash text) RETURNS TABLE(key_id uuid, user_id uuid, workspace_id uuid, scopes text[], last_used_at timestamp with time zone)
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
CREATE FUNCTION public.leaf_chat_activity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE chat_sessions c SET
            updated_at = now(),
            title = coalesce(
                c.title,
                CASE WHEN NEW.role = 'user' THEN
                    nullif(left(trim(regexp_replace(NEW.parts -> 0 ->> 'text', '\s+', ' ', 'g')), 80), '')
                END
            )
            WHERE c.id = NEW.chat_session_id;
    ELSE
        UPDATE chat_sessions c SET
            updated_at = now(),
            used_drive = c.used_drive OR jsonb_path_exists(
                NEW.parts,
                '$[*].type ? (@ == "tool-list_drive_folder" || @ == "tool-read_drive_file" || @ == "tool-search_drive")'
            )
            WHERE c.id = NEW.chat_session_id;
    END IF;
    RETURN NULL;
END
$_$;
CREATE FUNCTION public.leaf_chat_file_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE chat_sessions c SET begun = true WHERE c.id = NEW.chat_session_id AND NOT c.begun;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.leaf_chat_listing() RETURNS trigger
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
CREATE FUNCTION public.leaf_chat_marks() RETURNS trigger
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
        -- Who asks in a chat that they have archived goes on with it.
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
CREATE FUNCTION public.leaf_decline_invitation(invitation uuid) RETURNS boolean
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
CREATE FUNCTION public.leaf_delete_account() RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    person uuid := leaf_user_id();
BEGIN
    -- First the chats, as whoever ends an answer does, and then the person: what others write at this moment in the
    -- person's name is written before, and deleted, or is refused by its foreign key.
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
    -- Nobody could end them any more, or answer what they ask.
    UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.user_id = person AND m.role = 'assistant' AND m.status IN ('pending', 'streaming', 'waiting');
    UPDATE messages m SET updated_at = now() WHERE m.user_id = person;
    DELETE FROM users u WHERE u.id = person;
END
$$;
CREATE FUNCTION public.leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
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
CREATE FUNCTION public.leaf_deleted_chats(since timestamp with time zone) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.changed_at >= leaf_deleted_chats.since AND c.deleted_at IS NOT NULL
$$;
CREATE FUNCTION public.leaf_deleted_runs(older_than interval, most integer) RETURNS TABLE(chat_session_id uuid, run_ids uuid[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, array(
        SELECT m.workflow_run_id FROM messages m
        WHERE m.chat_session_id = c.id AND m.workflow_run_id IS NOT NULL
    )
    FROM chat_sessions c
    WHERE c.deleted_at <= now() - leaf_deleted_runs.older_than
    ORDER BY c.deleted_at LIMIT leaf_deleted_runs.most
$$;
CREATE FUNCTION public.leaf_expire_provider_logs() RETURNS bigint
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
CREATE FUNCTION public.leaf_expire_widget_chats() RETURNS bigint
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
CREATE FUNCTION public.leaf_forget_imported_key() RETURNS trigger
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
CREATE FUNCTION public.leaf_import_owner(import uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.user_id FROM imports i WHERE i.id = leaf_import_owner.import
$$;
CREATE FUNCTION public.leaf_invited(invitation uuid) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id FROM chat_invitations i JOIN users u ON lower(u.email) = i.email
    WHERE i.id = invitation AND i.invited_by = leaf_user_id()
$$;
CREATE FUNCTION public.leaf_is_creator(chat uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM chat_sessions c WHERE c.id = chat AND c.created_by = leaf_user_id())
$$;
CREATE FUNCTION public.leaf_is_member(tenant uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = tenant AND m.user_id = leaf_user_id())
$$;
CREATE FUNCTION public.leaf_is_participant(chat uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (
        SELECT FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id() AND c.deleted_at IS NULL
    )
$$;
CREATE FUNCTION public.leaf_is_visitor() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM visitors v WHERE v.user_id = leaf_user_id())
$$;
CREATE FUNCTION public.leaf_join_tenant(token_hash text) RETURNS uuid
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
CREATE FUNCTION public.leaf_keep_title_words() RETURNS trigger
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
CREATE FUNCTION public.leaf_keep_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    written text := leaf_message_text(NEW.parts);
BEGIN
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
CREATE FUNCTION public.leaf_marked_words(written text, kind text, chat uuid, creator uuid) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT to_tsvector('simple', leaf_search_words(written))
        || array_to_tsvector(ARRAY[kind, '@u' || creator::text, '@c' || chat::text])
$$;
CREATE FUNCTION public.leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) RETURNS boolean
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
CREATE FUNCTION public.leaf_merge_visitor(session_visitor uuid) RETURNS SETOF uuid
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
    -- First the locks, and then a look: what was asked while they were waited for is seen.
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
CREATE FUNCTION public.leaf_message_parent() RETURNS trigger
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
CREATE FUNCTION public.leaf_message_text(parts jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT string_agg(part ->> 'text', E'\n\n' ORDER BY place)
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS one (part, place)
    WHERE part ->> 'type' = 'text' AND part ->> 'text' <> ''
$$;
CREATE FUNCTION public.leaf_more(now numeric, earlier numeric, went_on boolean) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT greatest(0, coalesce(now, 0) - CASE WHEN went_on THEN coalesce(earlier, 0) ELSE 0 END) $$;
CREATE FUNCTION public.leaf_move_words() RETURNS trigger
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
CREATE FUNCTION public.leaf_my_invitations() RETURNS TABLE(id uuid, title text, invited_by text, created_at timestamp with time zone)
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
CREATE FUNCTION public.leaf_new_tenant(name text) RETURNS uuid
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
CREATE FUNCTION public.leaf_next_queued(chat uuid) RETURNS TABLE(id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT q.id, q.user_id FROM queued_messages q
    WHERE q.chat_session_id = chat AND q.problem IS NULL AND leaf_is_participant(chat)
    ORDER BY q.position LIMIT 1
$$;
CREATE FUNCTION public.leaf_note_budgets(most_tokens bigint, most_usd numeric) RETURNS SETOF uuid
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
CREATE FUNCTION public.leaf_origin_allowed(origin text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM agents a WHERE a.origins @> ARRAY[leaf_origin_allowed.origin])
$$;
CREATE FUNCTION public.leaf_overdue_client_calls(most integer) RETURNS TABLE(message_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.user_id
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.client_due_at <= now() AND m.status = 'waiting' AND m.user_id IS NOT NULL AND c.deleted_at IS NULL
    ORDER BY m.client_due_at LIMIT leaf_overdue_client_calls.most
$$;
CREATE FUNCTION public.leaf_participant_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
            FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
        -- A chat that is not there is refused by the foreign key.
        NEW.active_at := coalesce(NEW.active_at, now());
        NEW.listed := coalesce(NEW.listed, false);
    END IF;
    NEW.changed_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE FUNCTION public.leaf_participants(chat uuid) RETURNS TABLE(user_id uuid, name text, creator boolean)
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
CREATE FUNCTION public.leaf_public_agent(public_key text) RETURNS TABLE(agent jsonb, secrets text[])
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
CREATE FUNCTION public.leaf_purge_chat(chat uuid, older_than interval) RETURNS boolean
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
CREATE FUNCTION public.leaf_purge_security_events(days integer) RETURNS bigint
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
CREATE FUNCTION public.leaf_require_administrator() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF nullif(current_setting('app.administrator', true), '') IS DISTINCT FROM 'yes' THEN
        RAISE insufficient_privilege USING MESSAGE = 'this is for administrators';
    END IF;
END
$$;
CREATE FUNCTION public.leaf_restore_chats(chats uuid[]) RETURNS SETOF uuid
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
CREATE FUNCTION public.leaf_run_begins() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.run_at := now();
    RETURN NEW;
END
$$;
CREATE FUNCTION public.leaf_run_owner(run_id uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.user_id FROM messages m WHERE m.workflow_run_id = leaf_run_owner.run_id
$$;
CREATE FUNCTION public.leaf_search(terms text[], unfinished boolean, most integer) RETURNS TABLE(chat_session_id uuid, message_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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
    -- A word that stands nearly everywhere is found at once in the chats of late; the index would look at all of it.
    RETURN QUERY
        SELECT p.chat_session_id, w.message_id
        FROM (
            SELECT c.chat_session_id, c.active_at FROM chat_participants c
            WHERE c.user_id = person AND c.listed ORDER BY c.active_at DESC LIMIT 300
        ) p CROSS JOIN LATERAL (
            SELECT o.message_id, o.position FROM search_words o
            -- IS TRUE keeps the planner from asking the index of all words once for each chat.
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
    -- The rows above come again; whoever asks takes each once.
    RETURN QUERY EXECUTE
        'SELECT h.chat_session_id, h.message_id FROM ('
        'SELECT w.chat_session_id, w.message_id, w.position, p.active_at, '
        'row_number() OVER (PARTITION BY w.chat_session_id ORDER BY w.position DESC) AS place FROM search_words w '
        'JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = $2 AND p.listed '
        'WHERE w.words @@ $1) h WHERE h.place <= 3 ORDER BY h.active_at DESC, h.position DESC LIMIT $3'
        USING query && $mark$'@m'$mark$::tsquery && place::tsquery, person, most;
END
$_$;
CREATE FUNCTION public.leaf_search_query(terms text[], unfinished boolean) RETURNS tsquery
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
CREATE FUNCTION public.leaf_search_titles(terms text[], unfinished boolean, most integer) RETURNS TABLE(chat_session_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT p.chat_session_id FROM chat_participants p JOIN search_words w ON w.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.listed
        AND (w.words @@ (SELECT leaf_search_query(leaf_search_titles.terms, leaf_search_titles.unfinished))) IS TRUE
    ORDER BY p.active_at DESC LIMIT leaf_search_titles.most
$$;
CREATE FUNCTION public.leaf_search_words(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT regexp_replace(
        regexp_replace(lower(normalize(left(written, 100000), NFKD)), '[\u0300-\u036f]+', '', 'g'),
        '[\u0001-\u002f:-@\[-`{-\u00bf\u2000-\u206f\u3000-\u303f\ufe50-\ufe6f]+', ' ', 'g'
    )
$$;
CREATE FUNCTION public.leaf_session_user(token_hash text) RETURNS TABLE(session_id uuid, user_id uuid, workspace_id uuid, expires_at timestamp with time zone, last_seen_at timestamp with time zone, name text, email text, picture_url text, workspace_name text)
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
CREATE FUNCTION public.leaf_share_content() RETURNS trigger
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
CREATE FUNCTION public.leaf_shared_chat(token text) RETURNS TABLE(title text, content jsonb, shared_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.title, s.content, s.shared_at
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_chat.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
CREATE FUNCTION public.leaf_shared_content(chat uuid, ids uuid[]) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('role', m.role, 'status', m.status, 'at', m.created_at) || leaf_shared_parts(m.parts)
            ORDER BY chosen.place
        ),
        '[]'
    )
    FROM unnest(ids) WITH ORDINALITY AS chosen (id, place)
    JOIN messages m ON m.id = chosen.id AND m.chat_session_id = chat
    WHERE m.status IN ('completed', 'stopped', 'error')
$$;
CREATE FUNCTION public.leaf_shared_coverage(receipt jsonb) RETURNS jsonb
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
CREATE FUNCTION public.leaf_shared_parts(parts jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT jsonb_build_object(
        'texts', coalesce(
            jsonb_agg(jsonb_build_object('slot', slot - 1, 'text', part ->> 'text') ORDER BY slot)
                FILTER (WHERE part ->> 'type' = 'text'),
            '[]'
        ),
        'citations', (
            SELECT coalesce(
                jsonb_agg(jsonb_build_object(
                    'n', one -> 'n', 'verified', one -> 'verified', 'reason', one ->> 'reason', 'name', one ->> 'name',
                    'url', leaf_web_address(one ->> 'url'), 'part', one ->> 'part', 'quote', one ->> 'quote',
                    'at', one -> 'at'
                )),
                '[]'
            )
            FROM jsonb_path_query(
                parts,
                '$[*] ? (@.type == "data-citations").data[*] ? (@.n.type() == "number" && @.at.type() == "array")'
            ) one
        ),
        'coverage', (
            SELECT leaf_shared_coverage(one)
            FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-coverage").data ? (@.type() == "object")') one
            LIMIT 1
        )
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$_$;
CREATE FUNCTION public.leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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
CREATE FUNCTION public.leaf_stop_answers(chat uuid, person uuid) RETURNS SETOF uuid
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
CREATE FUNCTION public.leaf_tenant_chat(chat uuid) RETURNS TABLE(agent_id uuid, title text, kind text, subject text, context jsonb, started_at timestamp with time zone, active_at timestamp with time zone, archived boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.agent_id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    WHERE w.chat_session_id = leaf_tenant_chat.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;
CREATE FUNCTION public.leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) RETURNS TABLE(chat_id uuid, title text, kind text, subject text, context jsonb, started_at timestamp with time zone, active_at timestamp with time zone, archived boolean, running boolean, failed boolean, messages bigint, thumbs_up bigint, thumbs_down bigint, tokens numeric, cost_usd numeric)
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
    -- What is wanted of most chats is asked of one after the other; what is rare is found first.
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
        -- IS TRUE keeps the planner from asking the index of all words once for each chat.
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
CREATE FUNCTION public.leaf_tenant_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM workspaces w WHERE w.id = OLD.workspace_id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.leaf_tenant_left() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    -- Two who leave at the same moment: the second one sees that nobody is left.
    PERFORM FROM tenants t WHERE t.id = OLD.tenant_id FOR UPDATE;
    DELETE FROM tenants t WHERE t.id = OLD.tenant_id
        AND NOT EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = t.id);
    RETURN NULL;
END
$$;
CREATE FUNCTION public.leaf_tenant_messages(chat uuid) RETURNS TABLE(id uuid, parent_id uuid, role public.message_role, parts jsonb, status public.message_status, run_id uuid, model text, error_code text, error_text text, input_tokens integer, output_tokens integer, cost_usd numeric, duration_ms integer, first_text_ms integer, sentiment text, comment text, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.parent_id, m.role, m.parts, m.status, m.workflow_run_id, m.model, m.error_code, m.error_text,
        m.input_tokens, m.output_tokens, m.cost_usd, m.duration_ms, m.first_text_ms, f.sentiment, f.comment,
        m.created_at, m.updated_at
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    LEFT JOIN feedback f ON f.message_id = m.id AND f.run_id = m.workflow_run_id
    WHERE w.chat_session_id = leaf_tenant_messages.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
    ORDER BY m.position
$$;
CREATE FUNCTION public.leaf_tenant_people(tenant uuid) RETURNS TABLE(user_id uuid, name text, email text, joined_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, coalesce(u.display_name, u.name)::text, u.email, m.joined_at
    FROM tenant_members m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = leaf_tenant_people.tenant AND leaf_is_member(m.tenant_id)
    ORDER BY m.joined_at, u.id
$$;
CREATE FUNCTION public.leaf_tenant_run(run uuid) RETURNS public.message_status
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.status
    FROM messages m
    JOIN widget_chats w ON w.chat_session_id = m.chat_session_id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    WHERE m.workflow_run_id = leaf_tenant_run.run AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;
CREATE FUNCTION public.leaf_tenant_standing(since date) RETURNS TABLE(tenant_id uuid, monthly_tokens bigint, monthly_usd numeric, tokens numeric, usd numeric, reserved_tokens numeric, reserved_usd numeric)
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
CREATE FUNCTION public.leaf_tenant_usage(agent uuid, since date) RETURNS TABLE(day date, answers bigint, failed bigint, visitors bigint, tokens numeric, cost_usd numeric, median_ms double precision, first_ms double precision)
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
CREATE FUNCTION public.leaf_touch_api_key(token_hash text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE api_keys k SET last_used_at = now() WHERE k.token_hash = leaf_touch_api_key.token_hash
$$;
CREATE FUNCTION public.leaf_touch_session(token_hash text, expires_at timestamp with time zone) RETURNS boolean
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
CREATE FUNCTION public.leaf_unfinished_imports(older_than interval) RETURNS TABLE(import_id uuid, attempts integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, i.attempts FROM imports i
    WHERE i.status IN ('waiting', 'running') AND i.updated_at <= now() - leaf_unfinished_imports.older_than
    ORDER BY i.created_at
$$;
CREATE FUNCTION public.leaf_unfinished_runs(older_than interval) RETURNS TABLE(run_id uuid, message_id uuid, chat_session_id uuid, user_id uuid, status public.message_status, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.workflow_run_id, m.id, m.chat_session_id, m.user_id, m.status, m.created_at
    FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
    WHERE m.status IN ('pending', 'streaming') AND m.role = 'assistant' AND c.deleted_at IS NULL
        AND m.run_at <= now() - leaf_unfinished_runs.older_than
    ORDER BY m.run_at
$$;
CREATE FUNCTION public.leaf_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('app.user_id'::text, true), ''::text))::uuid;
CREATE FUNCTION public.leaf_visitor(agent uuid, kind text, subject text, adds boolean) RETURNS TABLE(user_id uuid, workspace_id uuid)
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
CREATE FUNCTION public.leaf_visitor_deleted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM users u WHERE u.id = OLD.user_id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.leaf_web_address(address text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT CASE WHEN address ~ '^https?://' THEN address END $$;
CREATE FUNCTION public.leaf_widget_chat_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
        FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
    -- A chat that is not there is refused by the foreign key.
    NEW.active_at := coalesce(NEW.active_at, now());
    NEW.listed := coalesce(NEW.listed, false);
    RETURN NEW;
END
$$;
CREATE FUNCTION public.leaf_workspace_in(chat uuid) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.workspace_id FROM workspace_members w
    WHERE w.user_id = leaf_user_id()
    ORDER BY w.workspace_id IN (SELECT c.workspace_id FROM chat_sessions c WHERE c.id = chat) DESC, w.created_at
    LIMIT 1
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.agent_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80)))
);
CREATE TABLE public.agents (
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
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_keys (
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
CREATE TABLE public.budget_alerts (
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
CREATE TABLE public.chat_file_originals (
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
ALTER TABLE ONLY public.chat_file_originals ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE public.chat_file_versions (
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
CREATE TABLE public.chat_files (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    path character varying(255) NOT NULL,
    version integer NOT NULL,
    size_bytes integer NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.chat_invitations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    invited_by uuid NOT NULL,
    email text NOT NULL,
    declined_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_invitations_email_check CHECK ((email = lower(email)))
);
CREATE TABLE public.chat_participants (
    chat_session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL,
    branch_id uuid,
    listed boolean DEFAULT false NOT NULL,
    active_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    pinned_at timestamp with time zone,
    archived_at timestamp with time zone,
    read_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.chat_sessions (
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
    CONSTRAINT chat_sessions_imported_from_check CHECK ((imported_from = ANY (ARRAY['leaf'::text, 'chatgpt'::text]))),
    CONSTRAINT chat_sessions_title_source_check CHECK ((title_source = ANY (ARRAY['question'::text, 'model'::text, 'user'::text])))
);
CREATE TABLE public.chat_shares (
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
CREATE TABLE public.chat_summaries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid NOT NULL,
    user_id uuid,
    text text NOT NULL,
    model text,
    input_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    cost_usd numeric,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    provider public.integration_provider NOT NULL,
    file_id text NOT NULL,
    revision text NOT NULL,
    name text NOT NULL,
    mime_type text NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.feedback (
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
    CONSTRAINT feedback_sentiment_check CHECK ((sentiment = ANY (ARRAY['up'::text, 'down'::text]))),
    CONSTRAINT feedback_user_agent_check CHECK ((char_length(user_agent) <= 300))
);
CREATE TABLE public.identities (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    provider text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.imports (
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
CREATE TABLE public.integrations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    provider public.integration_provider NOT NULL,
    status public.integration_status DEFAULT 'active'::public.integration_status NOT NULL,
    status_reason text,
    provider_account_email text,
    access_token text NOT NULL,
    refresh_token text,
    token_expires_at timestamp with time zone,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    role public.message_role NOT NULL,
    parts jsonb DEFAULT '[]'::jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    status public.message_status DEFAULT 'completed'::public.message_status NOT NULL,
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
    CONSTRAINT messages_answers_check CHECK (((answers IS NULL) OR (jsonb_typeof(answers) = 'object'::text))),
    CONSTRAINT messages_client_calls_check CHECK (((client_calls IS NULL) OR (jsonb_typeof(client_calls) = 'object'::text))),
    CONSTRAINT messages_client_tools_check CHECK (((client_tools IS NULL) OR (jsonb_typeof(client_tools) = 'object'::text))),
    CONSTRAINT messages_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT messages_part_kinds_check CHECK ((NOT jsonb_path_exists(parts, '$[*]?((((!(@."type".type() == "string") || (@."type" == "text" || @."type" == "reasoning") && !(@."text".type() == "string")) || (@."type" starts with "tool-" || @."type" == "dynamic-tool") && !(@."toolCallId".type() == "string" && ((((((@."state" == "input-streaming" || @."state" == "input-available") || @."state" == "output-available") || @."state" == "output-error") || @."state" == "output-denied") || @."state" == "approval-requested") || @."state" == "approval-responded"))) || @."type" == "dynamic-tool" && !(@."toolName".type() == "string")) || @."type" starts with "data-" && !(exists (@."data")))'::jsonpath))),
    CONSTRAINT messages_parts_check CHECK ((jsonb_typeof(parts) = 'array'::text)),
    CONSTRAINT messages_run_check CHECK (((role <> 'assistant'::public.message_role) OR (workflow_run_id IS NOT NULL)))
);
ALTER TABLE public.messages ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.messages_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.provider_logs (
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
CREATE TABLE public.queued_messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    chat_session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    parts jsonb NOT NULL,
    search_mode text NOT NULL,
    model_type text NOT NULL,
    problem text,
    "position" bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queued_messages_parts_check CHECK ((jsonb_typeof(parts) = 'array'::text))
);
ALTER TABLE public.queued_messages ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.queued_messages_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.search_words (
    id uuid NOT NULL,
    chat_session_id uuid NOT NULL,
    message_id uuid,
    "position" bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE TABLE public.security_events (
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
CREATE TABLE public.sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    user_agent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.signing_secrets (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    hint text NOT NULL,
    sealed text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT signing_secrets_hint_check CHECK ((char_length(hint) <= 24))
);
CREATE TABLE public.tenant_invitations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    created_by uuid NOT NULL,
    token_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.tenant_members (
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL,
    alerts_seen_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.tenants (
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
CREATE TABLE public.usage_entries (
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
CREATE TABLE public.user_settings (
    user_id uuid NOT NULL,
    search_mode text,
    model_type text,
    instructions text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_settings_instructions_check CHECK ((char_length(instructions) <= 2000))
);
CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    picture_url text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    display_name character varying(80),
    CONSTRAINT users_display_name_check CHECK (((display_name)::text ~ '\S'::text))
);
CREATE TABLE public.visitors (
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
CREATE TABLE public.widget_chats (
    chat_session_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    context jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    active_at timestamp with time zone DEFAULT now() NOT NULL,
    listed boolean DEFAULT false NOT NULL,
    CONSTRAINT widget_chats_context_check CHECK (((jsonb_typeof(context) = 'object'::text) AND (pg_column_size(context) <= 40000)))
);
CREATE TABLE public.workspace_members (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.workspaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name character varying(255) NOT NULL,
    personal_user_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
COPY public.agent_keys (id, tenant_id, agent_id, name, key, created_at) FROM stdin;
3012baf4-127e-4fb7-b075-26f2df9983e1	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	Pages	leaf_pk_krJNxXGTqjb1-_j78XleCEyn0IBZ-BS0	2026-11-23 22:22:28.967849+00
\.
COPY public.agents (id, tenant_id, name, system_prompt, model, temperature, tools, output_schema, context_injection, origins, identity, welcome, suggestions, look, visitor_daily, agent_daily, retention_days, paused, created_at, updated_at, provider_logs, client_tools, attachments) FROM stdin;
33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	a15fff77-61eb-443c-812d-6ec5fae7a954	Shop help		\N	\N	{}	\N	{}	{https://shop.example}	any	Hello	{}	{"accent": "#0b6e4f"}	100	2000	\N	f	2026-11-23 22:22:28.87557+00	2026-11-23 22:22:28.932393+00	t	[]	f
\.
COPY public.alembic_version (version_num) FROM stdin;
0030
\.
COPY public.api_keys (id, user_id, name, hint, token_hash, scopes, created_at, expires_at, last_used_at) FROM stdin;
c65da822-4936-47c9-b9fb-2e76cff91a32	e898be10-1e67-4a0e-864c-38c61c23831a	Script	leaf_key_x	h	{read}	2026-11-23 22:22:31.232933+00	\N	\N
\.
COPY public.budget_alerts (id, tenant_id, agent_id, unit, percent, period, created_at) FROM stdin;
1a969e73-332e-408f-8d08-6b0b0dd65143	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	tokens	80	2026-11-01	2026-11-23 22:22:31.588626+00
46fd0f48-b933-4734-904d-aed403e6e618	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	tokens	100	2026-11-01	2026-11-23 22:22:31.588626+00
\.
COPY public.chat_file_originals (id, chat_session_id, user_id, kind, size_bytes, sha256, data, content, content_bytes, places, notes, created_at) FROM stdin;
3ef19efa-41d1-4927-ab28-55ea8f96a2e4	cf012f24-18e8-44e4-b005-19fc9d661f68	e898be10-1e67-4a0e-864c-38c61c23831a	pdf	1348	\\x976a1194fe5dc6140b6cbfb897ddc615970636d91f05c56455330b3af329514f	\\x255044462d312e330a25e9ebf1bf0a312030206f626a0a3c3c0a2f436f756e7420320a2f4b696473205b33203020520a35203020525d0a2f4d65646961426f78205b302030203539352e3238203834312e38395d0a2f54797065202f50616765730a3e3e0a656e646f626a0a322030206f626a0a3c3c0a2f4f70656e416374696f6e205b3320302052202f46697448206e756c6c5d0a2f506167654c61796f7574202f4f6e65436f6c756d6e0a2f50616765732031203020520a2f54797065202f436174616c6f670a3e3e0a656e646f626a0a332030206f626a0a3c3c0a2f436f6e74656e74732034203020520a2f506172656e742031203020520a2f5265736f75726365732038203020520a2f54797065202f506167650a3e3e0a656e646f626a0a342030206f626a0a3c3c0a2f46696c746572202f466c6174654465636f64650a2f4c656e6774682036370a3e3e0a73747265616d0a789c3352f0e232d033355728e7720a51d07733543034d2333050084953700d0109191bea195a28985b9aea999b2b84a42868b865161597682a846481140000a6390e200a656e6473747265616d0a656e646f626a0a352030206f626a0a3c3c0a2f436f6e74656e74732036203020520a2f506172656e742031203020520a2f5265736f75726365732039203020520a2f54797065202f506167650a3e3e0a656e646f626a0a362030206f626a0a3c3c0a2f46696c746572202f466c6174654465636f64650a2f4c656e6774682036380a3e3e0a73747265616d0a789c3352f0e232d033355728e7720a51d07733543034d2333050084953700d0109191bea195a28985b9aea999b2b84a4286804a726e7e7a5682a846481540000b5790e740a656e6473747265616d0a656e646f626a0a372030206f626a0a3c3c0a2f42617365466f6e74202f48656c7665746963610a2f456e636f64696e67202f57696e416e7369456e636f64696e670a2f53756274797065202f54797065310a2f54797065202f466f6e740a3e3e0a656e646f626a0a382030206f626a0a3c3c0a2f466f6e74203c3c2f46312037203020523e3e0a2f50726f63536574205b2f504446202f54657874202f496d61676542202f496d61676543202f496d616765495d0a3e3e0a656e646f626a0a392030206f626a0a3c3c0a2f466f6e74203c3c2f46312037203020523e3e0a2f50726f63536574205b2f504446202f54657874202f496d61676542202f496d61676543202f496d616765495d0a3e3e0a656e646f626a0a31302030206f626a0a3c3c0a2f4372656174696f6e446174652028443a32303236313132333232323233305a290a3e3e0a656e646f626a0a787265660a302031310a303030303030303030302036353533352066200a30303030303030303135203030303030206e200a30303030303030313038203030303030206e200a30303030303030323131203030303030206e200a30303030303030323931203030303030206e200a30303030303030343239203030303030206e200a30303030303030353039203030303030206e200a30303030303030363438203030303030206e200a30303030303030373435203030303030206e200a30303030303030383332203030303030206e200a30303030303030393139203030303030206e200a747261696c65720a3c3c0a2f53697a652031310a2f526f6f742032203020520a2f496e666f203130203020520a2f4944205b3c41454435434245363639323341363634314144393532304234453144464333363e3c41454435434245363639323341363634314144393532304234453144464333363e5d0a3e3e0a7374617274787265660a3937350a2525454f460a	[page 1]\nFirst\n[page 2]\nSecond\n	31	[[1, "page 1"], [3, "page 2"]]	[]	2026-11-23 22:22:30.844723+00
\.
COPY public.chat_file_versions (id, file_id, chat_session_id, number, action, content, user_id, run_id, call_id, created_at, original_id) FROM stdin;
d92def27-a7e4-44d2-9dfc-58d61a7f264e	06a4d4f4-6080-4427-b066-aec31797eed4	cf012f24-18e8-44e4-b005-19fc9d661f68	1	write	one\ntwo\n	e898be10-1e67-4a0e-864c-38c61c23831a	4ca8df5c-4bce-413a-a959-9625ebe7c3d7	\N	2026-11-23 22:22:30.507282+00	\N
4088bc28-e94b-46f6-b4ee-d63992750707	06a4d4f4-6080-4427-b066-aec31797eed4	cf012f24-18e8-44e4-b005-19fc9d661f68	2	edit	one\n2\n	e898be10-1e67-4a0e-864c-38c61c23831a	4ca8df5c-4bce-413a-a959-9625ebe7c3d7	\N	2026-11-23 22:22:30.535346+00	\N
6375c7ab-b8ac-4f4d-ad2e-fa639baac253	aa6ad409-77e8-47af-b68a-51ab31543202	cf012f24-18e8-44e4-b005-19fc9d661f68	1	upload		e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	2026-11-23 22:22:30.857669+00	3ef19efa-41d1-4927-ab28-55ea8f96a2e4
557a3435-1109-4939-8d7d-835b64bb6ceb	a5d5459e-54ea-4345-967d-5da855e4c6dd	cf012f24-18e8-44e4-b005-19fc9d661f68	1	write	gone	e898be10-1e67-4a0e-864c-38c61c23831a	4ca8df5c-4bce-413a-a959-9625ebe7c3d7	\N	2026-11-23 22:22:30.874743+00	\N
3c166cc3-8166-4f0b-8031-4683debccf37	a5d5459e-54ea-4345-967d-5da855e4c6dd	cf012f24-18e8-44e4-b005-19fc9d661f68	2	delete		e898be10-1e67-4a0e-864c-38c61c23831a	4ca8df5c-4bce-413a-a959-9625ebe7c3d7	\N	2026-11-23 22:22:30.896505+00	\N
\.
COPY public.chat_files (id, chat_session_id, path, version, size_bytes, deleted, created_at, updated_at) FROM stdin;
06a4d4f4-6080-4427-b066-aec31797eed4	cf012f24-18e8-44e4-b005-19fc9d661f68	plan.md	2	6	f	2026-11-23 22:22:30.50298+00	2026-11-23 22:22:30.529206+00
aa6ad409-77e8-47af-b68a-51ab31543202	cf012f24-18e8-44e4-b005-19fc9d661f68	report.pdf	1	31	f	2026-11-23 22:22:30.856083+00	2026-11-23 22:22:30.856097+00
a5d5459e-54ea-4345-967d-5da855e4c6dd	cf012f24-18e8-44e4-b005-19fc9d661f68	old.md	2	0	t	2026-11-23 22:22:30.873505+00	2026-11-23 22:22:30.895219+00
\.
COPY public.chat_invitations (id, chat_session_id, invited_by, email, declined_at, created_at) FROM stdin;
650eb907-2d0e-401d-9897-6f9c2dc2d245	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	e898be10-1e67-4a0e-864c-38c61c23831a	carol@example.org	\N	2026-11-23 22:22:30.379435+00
\.
COPY public.chat_participants (chat_session_id, user_id, joined_at, branch_id, listed, active_at, changed_at, pinned_at, archived_at, read_at) FROM stdin;
24047990-6adc-4f42-8a4b-e74b6cbe0c95	f0cd250f-1133-42e0-af6e-07aa14afd42d	2026-11-23 22:22:29.241793+00	\N	t	2026-11-23 22:22:29.537525+00	2026-11-23 22:22:29.566986+00	\N	\N	2026-11-23 22:22:29.241827+00
86e87ed5-2abf-490f-b74f-eb4eae7c9569	049d7017-c70a-4d39-80a4-6f27d63ec893	2026-11-23 22:22:29.782815+00	\N	t	2026-11-23 22:22:29.793346+00	2026-11-23 22:22:29.825738+00	\N	\N	2026-11-23 22:22:29.782846+00
2c5c9ea0-62c2-480b-9f49-8434a897d0cc	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:30.153286+00	\N	t	2026-11-23 22:22:30.351911+00	2026-11-23 22:22:30.359415+00	\N	\N	2026-11-23 22:22:30.153314+00
2c5c9ea0-62c2-480b-9f49-8434a897d0cc	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:30.288027+00	\N	t	2026-11-23 22:22:30.351911+00	2026-11-23 22:22:30.359429+00	\N	\N	2026-11-23 22:22:30.288027+00
cf012f24-18e8-44e4-b005-19fc9d661f68	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:30.396706+00	\N	t	2026-11-23 22:22:30.457541+00	2026-11-23 22:22:30.464342+00	\N	\N	2026-11-23 22:22:30.396732+00
3446b9bf-7489-422a-b619-65d53cd4ad15	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:30.911332+00	\N	t	2026-11-23 22:22:31.042041+00	2026-11-23 22:22:31.047958+00	\N	\N	2026-11-23 22:22:30.911357+00
60ca48e6-fdf6-4e88-923d-b90db5ffec2c	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:31.06907+00	\N	t	2026-11-23 22:22:31.114974+00	2026-11-23 22:22:31.123545+00	\N	\N	2026-11-23 22:22:31.069104+00
73c096cc-72f6-41cf-85ef-e4c248a5deee	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:31.136526+00	\N	t	2026-11-23 22:22:31.184187+00	2026-11-23 22:22:31.188935+00	\N	\N	2026-11-23 22:22:31.136555+00
ab2d8249-6c6e-4e43-9517-d723c9291159	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:31.205403+00	\N	t	2026-11-23 22:22:31.211519+00	2026-11-23 22:22:31.227907+00	\N	\N	2026-11-23 22:22:31.205429+00
383a36cd-23a0-40b0-be70-3ab5dec80989	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:31.270226+00	\N	f	2026-11-23 22:22:31.302414+00	2026-11-23 22:22:31.324353+00	\N	\N	2026-11-23 22:22:31.270253+00
82a50749-4225-41cc-a9a3-47a057e084f0	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:31.336102+00	\N	t	2026-11-23 22:22:31.369265+00	2026-11-23 22:22:31.382448+00	\N	2026-11-23 22:22:31.380924+00	2026-11-23 22:22:31.336132+00
f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:29.87634+00	ea4fbc09-84ab-4e74-a2dc-c8919ef52475	t	2026-11-23 22:22:30.039104+00	2026-11-23 22:22:31.383664+00	2026-11-23 22:22:31.382907+00	\N	2026-11-23 22:22:29.876373+00
0b69dbc0-5130-462d-994e-7ee1243f3302	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:31.520362+00	d1edff4c-9923-4f3f-a785-9f39ef34d862	t	2026-11-23 22:22:30.039104+00	2026-11-23 22:22:31.537159+00	\N	\N	2026-11-23 22:22:31.520392+00
c5cfefbc-f1cc-446c-8eab-150a6a3306d9	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:31.574628+00	\N	t	2026-11-23 22:22:31.571956+00	2026-11-23 22:22:31.578265+00	\N	\N	2026-11-23 22:22:31.574655+00
\.
COPY public.chat_sessions (id, workspace_id, created_by, title, used_drive, created_at, updated_at, title_source, approvals, begun, running, waiting, answered_at, deleted_at, deleted_by, imported_from, imported_key) FROM stdin;
24047990-6adc-4f42-8a4b-e74b6cbe0c95	8c6b7760-1368-4bb9-a49c-118c9404820a	f0cd250f-1133-42e0-af6e-07aa14afd42d	Where is my parcel?	f	2026-11-23 22:22:29.230857+00	2026-11-23 22:22:29.537525+00	question	t	t	f	f	2026-11-23 22:22:29.558308+00	\N	\N	\N	\N
60ca48e6-fdf6-4e88-923d-b90db5ffec2c	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Stop this one.	f	2026-11-23 22:22:31.064143+00	2026-11-23 22:22:31.114974+00	question	t	t	f	f	2026-11-23 22:22:31.123477+00	\N	\N	\N	\N
86e87ed5-2abf-490f-b74f-eb4eae7c9569	8c6b7760-1368-4bb9-a49c-118c9404820a	049d7017-c70a-4d39-80a4-6f27d63ec893	Where are apples?	f	2026-11-23 22:22:29.780998+00	2026-11-23 22:22:29.793346+00	question	t	t	t	f	\N	\N	\N	\N	\N
c5cfefbc-f1cc-446c-8eab-150a6a3306d9	119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	ea19d661-88f7-4bf9-8aca-dc60efd64031	Why is the sky blue?	f	2026-11-23 22:22:31.573424+00	2026-11-23 22:22:31.571956+00	question	t	t	f	f	\N	\N	\N	\N	\N
f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	What <b>is</b> the rent? ``` open	t	2026-11-23 22:22:29.869437+00	2026-11-23 22:22:30.039104+00	question	t	t	f	f	2026-11-23 22:22:30.049502+00	\N	\N	\N	\N
73c096cc-72f6-41cf-85ef-e4c248a5deee	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Fail at this.	f	2026-11-23 22:22:31.134205+00	2026-11-23 22:22:31.184187+00	question	t	t	f	f	2026-11-23 22:22:31.188881+00	\N	\N	\N	\N
ab2d8249-6c6e-4e43-9517-d723c9291159	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Still writing?	f	2026-11-23 22:22:31.203951+00	2026-11-23 22:22:31.211519+00	question	t	t	t	f	\N	\N	\N	\N	\N
2c5c9ea0-62c2-480b-9f49-8434a897d0cc	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Apples for the fair?	f	2026-11-23 22:22:30.151414+00	2026-11-23 22:22:30.351911+00	question	t	t	f	f	2026-11-23 22:22:30.359352+00	\N	\N	\N	\N
cf012f24-18e8-44e4-b005-19fc9d661f68	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Write the plan down.	f	2026-11-23 22:22:30.395205+00	2026-11-23 22:22:30.457541+00	question	t	t	f	f	2026-11-23 22:22:30.464255+00	\N	\N	\N	\N
3446b9bf-7489-422a-b619-65d53cd4ad15	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Apples?	f	2026-11-23 22:22:30.909968+00	2026-11-23 22:22:31.042041+00	question	t	t	f	t	2026-11-23 22:22:31.047894+00	\N	\N	\N	\N
383a36cd-23a0-40b0-be70-3ab5dec80989	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Delete this chat.	f	2026-11-23 22:22:31.268042+00	2026-11-23 22:22:31.302414+00	question	t	t	f	f	2026-11-23 22:22:31.307353+00	2026-11-23 22:22:31.324039+00	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N
82a50749-4225-41cc-a9a3-47a057e084f0	dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	Archive this chat.	f	2026-11-23 22:22:31.333714+00	2026-11-23 22:22:31.369265+00	question	t	t	f	f	2026-11-23 22:22:31.372905+00	\N	\N	\N	\N
0b69dbc0-5130-462d-994e-7ee1243f3302	119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	ea19d661-88f7-4bf9-8aca-dc60efd64031	What <b>is</b> the rent? ``` open	f	2026-11-23 22:22:29.869437+00	2026-11-23 22:22:30.039104+00	user	t	t	f	f	\N	\N	\N	leaf	ef76bbca1f13c8b4be0d2049d20f3afd44ac2fc2b738cc8f3dcd53e36f1b5063
\.
COPY public.chat_shares (id, chat_session_id, created_by, token, message_ids, title, content, expires_at, created_at, shared_at) FROM stdin;
51322f64-cf0f-4ad5-be43-201c6996241b	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	e898be10-1e67-4a0e-864c-38c61c23831a	nKAJqRm3rebHxXQX35Ft2NKkActRlPXW	{ea4fbc09-84ab-4e74-a2dc-c8919ef52475,31b2aa14-5a50-4c9f-a95a-0aafd095f01f}	What <b>is</b> the rent? ``` open	[{"at": "2026-11-23T22:22:29.903436+00:00", "role": "user", "texts": [{"slot": 0, "text": "What <b>is</b> the rent?\\n```\\nopen"}], "status": "completed", "coverage": null, "citations": []}, {"at": "2026-11-23T22:22:29.904136+00:00", "role": "assistant", "texts": [{"slot": 2, "text": "Rent: weekly[^1].\\n\\n[^1]: \\"The rent is due\\"\\n\\n```python\\nprint(1)"}], "status": "completed", "coverage": {"more": false, "read": [{"name": "Lease", "complete": false}], "found": 2, "pages": [], "failed": 0, "folders": 0, "partial": 0, "skipped": [], "searches": 1, "chat_files": 0, "web_searches": 0}, "citations": [{"n": 1, "at": [[2, 12, 16]], "url": "https://docs.example/lease(1)", "name": "Lease [1]", "part": "page 3", "quote": "The rent is due", "reason": null, "verified": true}]}]	\N	2026-11-23 22:22:30.107687+00	2026-11-23 22:22:30.079925+00
\.
COPY public.chat_summaries (id, chat_session_id, message_id, user_id, text, model, input_tokens, output_tokens, cost_usd, created_at) FROM stdin;
5257024d-0261-4bfd-9147-1556bdb0bee5	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	bcbe8094-f88f-4b2c-8969-c4bfb7ac1631	e898be10-1e67-4a0e-864c-38c61c23831a	They talked of crates.	\N	0	0	\N	2026-11-23 22:22:31.233166+00
\.
COPY public.documents (id, user_id, provider, file_id, revision, name, mime_type, kind, body, created_at) FROM stdin;
d8fa1b7f-04c8-44d1-b4e7-e48fd25b96ef	e898be10-1e67-4a0e-864c-38c61c23831a	google_drive	f1	3	Lease	text/plain	text	{"segments": []}	2026-11-23 22:22:31.232818+00
\.
COPY public.feedback (id, user_id, message_id, run_id, sentiment, comment, page, user_agent, created_at, updated_at) FROM stdin;
b67cf678-1c99-4e7c-8d9e-160a29171741	f0cd250f-1133-42e0-af6e-07aa14afd42d	2e190fdb-f067-4a97-8d8a-edfa890abe6f	c6a47ad0-b9f1-4744-8dc0-94ac04a9d44a	down	Too slow			2026-11-23 22:22:29.744315+00	2026-11-23 22:22:29.74432+00
110160d6-7a2b-4249-bc8b-bee06a85e8bf	e898be10-1e67-4a0e-864c-38c61c23831a	31b2aa14-5a50-4c9f-a95a-0aafd095f01f	feb3f335-1987-4eb9-9891-2bb2f5b7d009	up	Right			2026-11-23 22:22:30.135983+00	2026-11-23 22:22:30.135985+00
3da6865e-30dd-4100-a92d-844b0095656e	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	I like Leaf.	/dashboard		2026-11-23 22:22:31.233044+00	2026-11-23 22:22:31.23305+00
\.
COPY public.identities (id, user_id, provider, subject, email, created_at, updated_at) FROM stdin;
99e13cbf-c8a2-4564-9952-40dc1e14111e	e898be10-1e67-4a0e-864c-38c61c23831a	google	ada	ada@example.org	2026-11-23 22:22:28.767641+00	2026-11-23 22:22:28.767641+00
6589a915-8a85-4d1c-bf85-17336bfc7a95	ea19d661-88f7-4bf9-8aca-dc60efd64031	google	ben	ben@example.org	2026-11-23 22:22:28.818927+00	2026-11-23 22:22:28.818927+00
\.
COPY public.imports (id, user_id, workspace_id, name, size_bytes, data, status, attempts, total, done, imported, known, refused, left_out, problems, failure, created_at, updated_at) FROM stdin;
ec722273-5c07-40d8-8146-01cfde49fbcd	ea19d661-88f7-4bf9-8aca-dc60efd64031	119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	chats.json	2399	\N	done	1	1	1	1	0	0	0	[]	\N	2026-11-23 22:22:31.471735+00	2026-11-23 22:22:31.547459+00
\.
COPY public.integrations (id, user_id, workspace_id, provider, status, status_reason, provider_account_email, access_token, refresh_token, token_expires_at, scopes, created_at, updated_at) FROM stdin;
e24138e2-e137-43d6-aefd-b1d188efaafb	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	google_drive	active	\N	ada@example.org	k:sealed	k:sealed	\N	{drive.readonly}	2026-11-23 22:22:31.232669+00	2026-11-23 22:22:31.232675+00
\.
COPY public.messages (id, chat_session_id, role, parts, metadata, status, workflow_run_id, user_id, model, model_messages, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, error_code, error_text, "position", created_at, updated_at, thinking_tokens, requests, duration_ms, reserved_tokens, reserved_usd, answers, parent_id, run_at, client_tools, client_calls, client_due_at, first_text_ms) FROM stdin;
3ca2c500-7356-4f55-833b-73ba4c8a3c15	24047990-6adc-4f42-8a4b-e74b6cbe0c95	user	[{"text": "Where is my parcel?", "type": "text"}]	{}	completed	\N	f0cd250f-1133-42e0-af6e-07aa14afd42d	\N	\N	\N	\N	\N	\N	\N	\N	\N	1	2026-11-23 22:22:29.372062+00	2026-11-23 22:22:29.372069+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:29.372046+00	\N	\N	\N	\N
2e190fdb-f067-4a97-8d8a-edfa890abe6f	24047990-6adc-4f42-8a4b-e74b6cbe0c95	assistant	[{"type": "step-start"}, {"text": "On its way.", "type": "text", "state": "done"}]	{}	completed	c6a47ad0-b9f1-4744-8dc0-94ac04a9d44a	f0cd250f-1133-42e0-af6e-07aa14afd42d	sandbox:sandbox	[]	70	30	0	0	\N	\N	\N	2	2026-11-23 22:22:29.372886+00	2026-11-23 22:22:29.553739+00	0	1	\N	\N	\N	\N	3ca2c500-7356-4f55-833b-73ba4c8a3c15	2026-11-23 22:22:29.372878+00	\N	\N	\N	\N
d4deafdb-e9b7-4464-97e1-7921a995ecf0	86e87ed5-2abf-490f-b74f-eb4eae7c9569	user	[{"text": "Where are apples?", "type": "text"}]	{}	completed	\N	049d7017-c70a-4d39-80a4-6f27d63ec893	\N	\N	\N	\N	\N	\N	\N	\N	\N	3	2026-11-23 22:22:29.819639+00	2026-11-23 22:22:29.819645+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:29.819623+00	\N	\N	\N	\N
94597af6-315f-4f04-a8ef-f00408acee28	86e87ed5-2abf-490f-b74f-eb4eae7c9569	assistant	[]	{"modelId": "sandbox:sandbox", "traceId": "b117c71a9b824cb98e7407af39ce0d2f", "modelType": "speed", "searchMode": "quick"}	pending	b117c71a-9b82-4cb9-8e74-07af39ce0d2f	049d7017-c70a-4d39-80a4-6f27d63ec893	sandbox:sandbox	\N	\N	\N	\N	\N	\N	\N	\N	4	2026-11-23 22:22:29.820309+00	2026-11-23 22:22:29.820315+00	\N	\N	\N	\N	\N	\N	d4deafdb-e9b7-4464-97e1-7921a995ecf0	2026-11-23 22:22:29.820301+00	\N	\N	\N	\N
ea4fbc09-84ab-4e74-a2dc-c8919ef52475	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	user	[{"text": "What <b>is</b> the rent?\\n```\\nopen", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	5	2026-11-23 22:22:29.903436+00	2026-11-23 22:22:29.903443+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:29.90342+00	\N	\N	\N	\N
31b2aa14-5a50-4c9f-a95a-0aafd095f01f	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	assistant	[{"text": "Let me look.", "type": "reasoning", "providerMetadata": {"x": {"signature": "not-for-files"}}}, {"type": "tool-read_drive_file", "input": {"file_id": "f1"}, "state": "output-available", "output": {"content": "The rent is due monthly."}, "toolCallId": "c1", "callProviderMetadata": {"x": "not-for-files"}}, {"text": "Rent: weekly[^1].\\n\\n[^1]: \\"The rent is due\\"\\n\\n```python\\nprint(1)", "type": "text", "state": "done"}, {"id": "citations", "data": [{"n": 1, "at": [[2, 12, 16]], "url": "https://docs.example/lease(1)", "kind": "drive", "name": "Lease [1]", "part": "page 3", "after": "b", "quote": "The rent is due", "before": "a", "reason": null, "file_id": "f1", "revision": "3", "verified": true}], "type": "data-citations"}, {"id": "coverage", "data": {"x": "not-for-files", "read": [{"id": "f1", "url": null, "gaps": [], "name": "Lease", "parts": ["page 3"], "missed": [], "complete": false}], "found": 2, "searches": [{"files": 2, "query": "rent", "shown": 2, "partial": false, "at_least": false, "subfolders": 0}]}, "type": "data-coverage"}, {"id": "related", "data": {"status": "done", "questions": ["And the deposit?"]}, "type": "data-relatedQuestions"}]	{}	completed	feb3f335-1987-4eb9-9891-2bb2f5b7d009	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	6	2026-11-23 22:22:29.904136+00	2026-11-23 22:22:29.947928+00	0	0	\N	\N	\N	\N	ea4fbc09-84ab-4e74-a2dc-c8919ef52475	2026-11-23 22:22:29.904128+00	\N	\N	\N	\N
f2085f89-2d67-429f-89ae-629a4e3f0f1a	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	user	[{"text": "What is the deposit?", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	7	2026-11-23 22:22:30.000013+00	2026-11-23 22:22:30.00002+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:29.999999+00	\N	\N	\N	\N
f0c73da3-0040-4ff4-adc8-8a9cfb6be475	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	assistant	[{"text": "Three months.", "type": "text"}]	{}	completed	7b467631-f5a1-4185-a56a-a875e9d28696	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	8	2026-11-23 22:22:30.000678+00	2026-11-23 22:22:30.047278+00	0	0	\N	\N	\N	\N	f2085f89-2d67-429f-89ae-629a4e3f0f1a	2026-11-23 22:22:30.00067+00	\N	\N	\N	\N
7cd406a9-5b8f-41ee-873d-1b76aecfef25	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	user	[{"text": "Apples for the fair?", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	9	2026-11-23 22:22:30.176403+00	2026-11-23 22:22:30.176409+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:30.176387+00	\N	\N	\N	\N
1a8d4013-f717-4881-963b-151f4f492028	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	assistant	[{"text": "Forty crates.", "type": "text", "state": "done"}]	{}	completed	e99cd77c-15e1-4bd1-9b21-358b68f7c181	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	70	30	0	0	\N	\N	\N	10	2026-11-23 22:22:30.177109+00	2026-11-23 22:22:30.230961+00	0	2	\N	\N	\N	\N	7cd406a9-5b8f-41ee-873d-1b76aecfef25	2026-11-23 22:22:30.177101+00	\N	\N	\N	\N
e31e76d3-226b-465a-9a6f-6994bbc5d359	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	user	[{"text": "And pears?", "type": "text"}]	{}	completed	\N	ea19d661-88f7-4bf9-8aca-dc60efd64031	\N	\N	\N	\N	\N	\N	\N	\N	\N	11	2026-11-23 22:22:30.319414+00	2026-11-23 22:22:30.31942+00	\N	\N	\N	\N	\N	\N	1a8d4013-f717-4881-963b-151f4f492028	2026-11-23 22:22:30.319398+00	\N	\N	\N	\N
bcbe8094-f88f-4b2c-8969-c4bfb7ac1631	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	assistant	[{"text": "Ten crates.", "type": "text", "state": "done"}]	{}	completed	a20c2861-c4be-48e4-952f-bf1710051ba9	ea19d661-88f7-4bf9-8aca-dc60efd64031	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	12	2026-11-23 22:22:30.320096+00	2026-11-23 22:22:30.357332+00	0	0	\N	\N	\N	\N	e31e76d3-226b-465a-9a6f-6994bbc5d359	2026-11-23 22:22:30.320089+00	\N	\N	\N	\N
0d3c718e-1d92-4a63-807c-e0a3de53f7a7	cf012f24-18e8-44e4-b005-19fc9d661f68	user	[{"text": "Write the plan down.", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	13	2026-11-23 22:22:30.422775+00	2026-11-23 22:22:30.42278+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:30.422759+00	\N	\N	\N	\N
d96abb25-b3e9-4d03-8434-b0246492927e	cf012f24-18e8-44e4-b005-19fc9d661f68	assistant	[{"text": "It is in plan.md.", "type": "text", "state": "done"}]	{}	completed	318a5bc6-277d-4e4e-812d-81dc2aa6c0f2	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	14	2026-11-23 22:22:30.423423+00	2026-11-23 22:22:30.46097+00	0	0	\N	\N	\N	\N	0d3c718e-1d92-4a63-807c-e0a3de53f7a7	2026-11-23 22:22:30.423416+00	\N	\N	\N	\N
e13d6a17-6519-4ca1-b36e-a8f4d7ff278f	3446b9bf-7489-422a-b619-65d53cd4ad15	user	[{"text": "Apples?", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	15	2026-11-23 22:22:30.931361+00	2026-11-23 22:22:30.931367+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:30.931345+00	\N	\N	\N	\N
f4d5cfd0-2f53-465b-8651-7cbd6eb09b70	383a36cd-23a0-40b0-be70-3ab5dec80989	user	[{"text": "Delete this chat.", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	23	2026-11-23 22:22:31.285986+00	2026-11-23 22:22:31.285994+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.285968+00	\N	\N	\N	\N
944d674d-f3f1-47b4-a640-5964342b0d4a	383a36cd-23a0-40b0-be70-3ab5dec80989	assistant	[{"text": "Yes.", "type": "text", "state": "done"}]	{}	completed	fbc5ac6d-7e58-46ea-bfc4-d9c36b820742	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	24	2026-11-23 22:22:31.286782+00	2026-11-23 22:22:31.305077+00	0	0	\N	\N	\N	\N	f4d5cfd0-2f53-465b-8651-7cbd6eb09b70	2026-11-23 22:22:31.286774+00	\N	\N	\N	\N
873b460a-ee20-4ab5-add4-470a09a3dfcb	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	user	[{"text": "Why is the sky blue?", "type": "text"}]	{}	completed	\N	ea19d661-88f7-4bf9-8aca-dc60efd64031	\N	\N	\N	\N	\N	\N	\N	\N	\N	31	2026-11-23 22:22:31.563099+00	2026-11-23 22:22:31.563106+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.563084+00	\N	\N	\N	\N
7ec49c98-b301-4cdc-80e9-ae493f768001	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	assistant	[{"text": "Because of its air.", "type": "text"}]	{"modelId": "sandbox:sandbox", "traceId": "fafc2d33b3814e109e138cc85ddc404f", "modelType": "speed", "searchMode": "quick"}	completed	fafc2d33-b381-4e10-9e13-8cc85ddc404f	ea19d661-88f7-4bf9-8aca-dc60efd64031	sandbox:sandbox	[]	\N	\N	\N	\N	\N	\N	\N	32	2026-11-23 22:22:31.563669+00	2026-11-23 22:22:31.566243+00	\N	\N	\N	\N	\N	\N	873b460a-ee20-4ab5-add4-470a09a3dfcb	2026-11-23 22:22:31.563662+00	\N	\N	\N	\N
cbb30eb8-605e-4718-ac98-72624711e2ce	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	user	[{"text": "And at night?", "type": "text"}]	{}	completed	\N	ea19d661-88f7-4bf9-8aca-dc60efd64031	\N	\N	\N	\N	\N	\N	\N	\N	\N	33	2026-11-23 22:22:31.567177+00	2026-11-23 22:22:31.567183+00	\N	\N	\N	\N	\N	\N	7ec49c98-b301-4cdc-80e9-ae493f768001	2026-11-23 22:22:31.567168+00	\N	\N	\N	\N
d77abcf2-e3b8-44ce-a1eb-32b01b30ccdb	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	assistant	[{"text": "Because of its air.", "type": "text"}]	{"modelId": "sandbox:sandbox", "traceId": "9d4f8620ac8047e6a37e0d396b09343b", "modelType": "speed", "searchMode": "quick"}	completed	9d4f8620-ac80-47e6-a37e-0d396b09343b	ea19d661-88f7-4bf9-8aca-dc60efd64031	sandbox:sandbox	[]	\N	\N	\N	\N	\N	\N	\N	34	2026-11-23 22:22:31.567623+00	2026-11-23 22:22:31.5701+00	\N	\N	\N	\N	\N	\N	cbb30eb8-605e-4718-ac98-72624711e2ce	2026-11-23 22:22:31.567616+00	\N	\N	\N	\N
2e2cd1df-6877-4ec6-8f7e-8f2885e5b75d	3446b9bf-7489-422a-b619-65d53cd4ad15	assistant	[{"type": "step-start"}, {"text": "One thing first.", "type": "text", "state": "done"}, {"type": "tool-askQuestion", "input": {"options": [{"label": "A", "value": "a"}, {"label": "B", "value": "b"}], "question": "Which?"}, "state": "input-available", "toolCallId": "call_0"}]	{"modelId": "sandbox:sandbox", "traceId": "82dd58e6fad548aea262f3319f02a4e3", "modelType": "speed", "searchMode": "quick"}	waiting	82dd58e6-fad5-48ae-a262-f3319f02a4e3	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[{"kind": "request", "parts": [{"content": "Apples?", "part_kind": "user-prompt", "timestamp": "2026-11-23T22:22:30.948169Z"}], "state": "complete", "run_id": null, "metadata": null, "timestamp": null, "instructions": null, "conversation_id": null}, {"kind": "response", "parts": [{"id": null, "args": {"options": [{"label": "A", "value": "a"}, {"label": "B", "value": "b"}], "question": "Which?"}, "part_kind": "tool-call", "tool_kind": null, "tool_name": "askQuestion", "tool_call_id": "call_0", "provider_name": null, "provider_details": null}], "state": "complete", "usage": {"cost": null, "details": {}, "input_tokens": 100, "audio_seconds": 0.0, "output_tokens": 20, "cache_read_tokens": 0, "cache_write_tokens": 0, "input_audio_tokens": 0, "output_audio_tokens": 0, "cache_write_1h_tokens": 0, "cache_audio_read_tokens": 0, "output_reasoning_tokens": 0}, "run_id": null, "metadata": null, "model_id": null, "timestamp": "2026-11-23T22:22:30.948120Z", "model_name": "m", "provider_url": null, "finish_reason": null, "provider_name": null, "workspace_ref": null, "history_digest": null, "conversation_id": null, "failed_attempts": null, "canonical_system": null, "provider_details": null, "provider_response_id": null}]	700	300	200	100	0.0125	\N	\N	16	2026-11-23 22:22:30.93206+00	2026-11-23 22:22:31.045566+00	50	3	1500	\N	\N	\N	e13d6a17-6519-4ca1-b36e-a8f4d7ff278f	2026-11-23 22:22:30.932052+00	\N	\N	\N	\N
ba4a74e1-cc14-493c-adb5-ae90d7f3eb59	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	user	[{"text": "Stop this one.", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	17	2026-11-23 22:22:31.087615+00	2026-11-23 22:22:31.087622+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.0876+00	\N	\N	\N	\N
3fc5493b-7ea3-4d8b-abbe-d9a5a336506f	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	assistant	[{"text": "Half of", "type": "text", "state": "done"}]	{}	stopped	a0c6eccf-496a-4f90-9d7c-023f299846c2	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	18	2026-11-23 22:22:31.088263+00	2026-11-23 22:22:31.117291+00	0	0	\N	\N	\N	\N	ba4a74e1-cc14-493c-adb5-ae90d7f3eb59	2026-11-23 22:22:31.088256+00	\N	\N	\N	\N
286fa9ff-43d2-4921-94bb-e01aa6e484dd	73c096cc-72f6-41cf-85ef-e4c248a5deee	user	[{"text": "Fail at this.", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	19	2026-11-23 22:22:31.155525+00	2026-11-23 22:22:31.155531+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.155509+00	\N	\N	\N	\N
cf3c1607-c287-4fce-84f2-7188c472eead	73c096cc-72f6-41cf-85ef-e4c248a5deee	assistant	[{"text": "", "type": "text", "state": "done"}]	{}	error	a30c52f1-a00f-4847-96c6-a15bc0a1560c	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	provider_unavailable	The model is not available.	20	2026-11-23 22:22:31.156147+00	2026-11-23 22:22:31.187211+00	0	0	\N	\N	\N	\N	286fa9ff-43d2-4921-94bb-e01aa6e484dd	2026-11-23 22:22:31.15614+00	\N	\N	\N	\N
eb6b4537-72bf-486f-b70b-d6b107566cfc	ab2d8249-6c6e-4e43-9517-d723c9291159	user	[{"text": "Still writing?", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	21	2026-11-23 22:22:31.21914+00	2026-11-23 22:22:31.219146+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.219124+00	\N	\N	\N	\N
afe26a85-0b1a-48a8-8735-8a8c8fab365e	ab2d8249-6c6e-4e43-9517-d723c9291159	assistant	[]	{"modelId": "sandbox:sandbox", "traceId": "68e62ea85b974ce9b48862311edc9886", "modelType": "speed", "searchMode": "quick"}	pending	68e62ea8-5b97-4ce9-b488-62311edc9886	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	\N	\N	\N	\N	\N	\N	\N	\N	22	2026-11-23 22:22:31.219775+00	2026-11-23 22:22:31.219781+00	\N	\N	\N	\N	\N	\N	eb6b4537-72bf-486f-b70b-d6b107566cfc	2026-11-23 22:22:31.219768+00	\N	\N	\N	\N
bec6cff4-7be8-4eb1-ae52-c741f5808783	82a50749-4225-41cc-a9a3-47a057e084f0	user	[{"text": "Archive this chat.", "type": "text"}]	{}	completed	\N	e898be10-1e67-4a0e-864c-38c61c23831a	\N	\N	\N	\N	\N	\N	\N	\N	\N	25	2026-11-23 22:22:31.351869+00	2026-11-23 22:22:31.351875+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.351856+00	\N	\N	\N	\N
74c8bffd-3f00-4723-9d59-66b8e57ccedd	82a50749-4225-41cc-a9a3-47a057e084f0	assistant	[{"text": "Yes.", "type": "text", "state": "done"}]	{}	completed	d521da0a-de8f-475e-952f-4f50f2e86a01	e898be10-1e67-4a0e-864c-38c61c23831a	sandbox:sandbox	[]	0	0	0	0	\N	\N	\N	26	2026-11-23 22:22:31.352452+00	2026-11-23 22:22:31.371533+00	0	0	\N	\N	\N	\N	bec6cff4-7be8-4eb1-ae52-c741f5808783	2026-11-23 22:22:31.352445+00	\N	\N	\N	\N
77782777-ce15-4718-80ab-4d095e4b5ece	0b69dbc0-5130-462d-994e-7ee1243f3302	user	[{"text": "What <b>is</b> the rent?\\n```\\nopen", "type": "text"}]	{}	completed	\N	ea19d661-88f7-4bf9-8aca-dc60efd64031	\N	\N	\N	\N	\N	\N	\N	\N	\N	27	2026-11-23 22:22:29.903436+00	2026-11-23 22:22:31.516012+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.524171+00	\N	\N	\N	\N
d1edff4c-9923-4f3f-a785-9f39ef34d862	0b69dbc0-5130-462d-994e-7ee1243f3302	assistant	[{"text": "Let me look.", "type": "reasoning"}, {"type": "dynamic-tool", "input": {"file_id": "f1"}, "state": "output-available", "output": {"content": "The rent is due monthly."}, "toolName": "imported:read_drive_file", "toolCallId": "imported-1"}, {"text": "Rent: weekly[^1].\\n\\n[^1]: \\"The rent is due\\"\\n\\n```python\\nprint(1)", "type": "text"}, {"id": "related", "data": {"status": "done", "questions": ["And the deposit?"]}, "type": "data-relatedQuestions"}, {"id": "citations", "data": [{"n": 1, "at": [[2, 12, 16]], "url": "https://docs.example/lease(1)", "kind": "drive", "name": "Lease [1]", "part": "page 3", "after": "b", "quote": "The rent is due", "before": "a", "reason": "imported", "file_id": "f1", "revision": "3", "verified": false}], "type": "data-citations"}, {"id": "coverage", "data": {"web": {"pages": [], "searches": []}, "more": false, "read": [{"id": "f1", "url": null, "gaps": [], "name": "Lease", "parts": ["page 3"], "missed": [], "complete": false}], "found": 2, "failed": [], "folders": [], "partial": 0, "skipped": [], "searches": [{"files": 2, "query": "rent", "shown": 2, "partial": false, "at_least": false, "in_folder": null, "subfolders": 0}], "chat_files": [], "looked_into": [], "chat_listings": [], "chat_searches": []}, "type": "data-coverage"}]	{}	completed	e3570ae4-9d43-465c-9ddd-b4e8520c30ab	ea19d661-88f7-4bf9-8aca-dc60efd64031	sandbox:sandbox	[{"kind": "request", "parts": [{"content": "[A turn of a chat that was imported from a file: what was asked then, and what was answered.]", "part_kind": "user-prompt", "timestamp": "2026-11-23T22:22:31.523064Z"}], "state": "complete", "run_id": null, "metadata": null, "timestamp": null, "instructions": null, "conversation_id": null}, {"kind": "response", "parts": [{"id": null, "args": {}, "part_kind": "tool-call", "tool_kind": null, "tool_name": "imported_turn", "tool_call_id": "imported", "provider_name": null, "provider_details": null}], "state": "complete", "usage": {"cost": null, "details": {}, "input_tokens": 0, "audio_seconds": 0.0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "input_audio_tokens": 0, "output_audio_tokens": 0, "cache_write_1h_tokens": 0, "cache_audio_read_tokens": 0, "output_reasoning_tokens": 0}, "run_id": null, "metadata": null, "model_id": null, "timestamp": "2026-11-23T22:22:31.523106Z", "model_name": null, "provider_url": null, "finish_reason": null, "provider_name": null, "workspace_ref": null, "history_digest": null, "conversation_id": null, "failed_attempts": null, "canonical_system": null, "provider_details": null, "provider_response_id": null}, {"kind": "request", "parts": [{"retry": null, "content": {"answer": "Rent: weekly[^1].\\n\\n\\n```python\\nprint(1)", "question": "What <b>is</b> the rent?\\n```\\nopen"}, "outcome": "success", "metadata": null, "part_kind": "tool-return", "timestamp": "2026-11-23T22:22:31.523129Z", "tool_kind": null, "tool_name": "imported_turn", "tool_call_id": "imported", "content_file_digests": []}], "state": "complete", "run_id": null, "metadata": null, "timestamp": null, "instructions": null, "conversation_id": null}, {"kind": "response", "parts": [{"id": null, "content": "[This turn was imported.]", "citations": null, "part_kind": "text", "provider_name": null, "provider_details": null}], "state": "complete", "usage": {"cost": null, "details": {}, "input_tokens": 0, "audio_seconds": 0.0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "input_audio_tokens": 0, "output_audio_tokens": 0, "cache_write_1h_tokens": 0, "cache_audio_read_tokens": 0, "output_reasoning_tokens": 0}, "run_id": null, "metadata": null, "model_id": null, "timestamp": "2026-11-23T22:22:31.523147Z", "model_name": null, "provider_url": null, "finish_reason": null, "provider_name": null, "workspace_ref": null, "history_digest": null, "conversation_id": null, "failed_attempts": null, "canonical_system": null, "provider_details": null, "provider_response_id": null}]	\N	\N	\N	\N	\N	\N	\N	28	2026-11-23 22:22:29.904136+00	2026-11-23 22:22:31.516012+00	\N	\N	\N	\N	\N	\N	77782777-ce15-4718-80ab-4d095e4b5ece	2026-11-23 22:22:31.524173+00	\N	\N	\N	\N
e29953a5-65d9-4a0d-bba4-49ae718741ab	0b69dbc0-5130-462d-994e-7ee1243f3302	user	[{"text": "What is the deposit?", "type": "text"}]	{}	completed	\N	ea19d661-88f7-4bf9-8aca-dc60efd64031	\N	\N	\N	\N	\N	\N	\N	\N	\N	29	2026-11-23 22:22:30.000013+00	2026-11-23 22:22:31.516012+00	\N	\N	\N	\N	\N	\N	\N	2026-11-23 22:22:31.524173+00	\N	\N	\N	\N
b377b08f-ffc4-4da3-b323-be8efc30fd37	0b69dbc0-5130-462d-994e-7ee1243f3302	assistant	[{"text": "Three months.", "type": "text"}]	{}	completed	758aff4f-1816-4960-82b7-42ed2f498391	ea19d661-88f7-4bf9-8aca-dc60efd64031	sandbox:sandbox	[{"kind": "request", "parts": [{"content": "[A turn of a chat that was imported from a file: what was asked then, and what was answered.]", "part_kind": "user-prompt", "timestamp": "2026-11-23T22:22:31.523398Z"}], "state": "complete", "run_id": null, "metadata": null, "timestamp": null, "instructions": null, "conversation_id": null}, {"kind": "response", "parts": [{"id": null, "args": {}, "part_kind": "tool-call", "tool_kind": null, "tool_name": "imported_turn", "tool_call_id": "imported", "provider_name": null, "provider_details": null}], "state": "complete", "usage": {"cost": null, "details": {}, "input_tokens": 0, "audio_seconds": 0.0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "input_audio_tokens": 0, "output_audio_tokens": 0, "cache_write_1h_tokens": 0, "cache_audio_read_tokens": 0, "output_reasoning_tokens": 0}, "run_id": null, "metadata": null, "model_id": null, "timestamp": "2026-11-23T22:22:31.523403Z", "model_name": null, "provider_url": null, "finish_reason": null, "provider_name": null, "workspace_ref": null, "history_digest": null, "conversation_id": null, "failed_attempts": null, "canonical_system": null, "provider_details": null, "provider_response_id": null}, {"kind": "request", "parts": [{"retry": null, "content": {"answer": "Three months.", "question": "What is the deposit?"}, "outcome": "success", "metadata": null, "part_kind": "tool-return", "timestamp": "2026-11-23T22:22:31.523409Z", "tool_kind": null, "tool_name": "imported_turn", "tool_call_id": "imported", "content_file_digests": []}], "state": "complete", "run_id": null, "metadata": null, "timestamp": null, "instructions": null, "conversation_id": null}, {"kind": "response", "parts": [{"id": null, "content": "[This turn was imported.]", "citations": null, "part_kind": "text", "provider_name": null, "provider_details": null}], "state": "complete", "usage": {"cost": null, "details": {}, "input_tokens": 0, "audio_seconds": 0.0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "input_audio_tokens": 0, "output_audio_tokens": 0, "cache_write_1h_tokens": 0, "cache_audio_read_tokens": 0, "output_reasoning_tokens": 0}, "run_id": null, "metadata": null, "model_id": null, "timestamp": "2026-11-23T22:22:31.523414Z", "model_name": null, "provider_url": null, "finish_reason": null, "provider_name": null, "workspace_ref": null, "history_digest": null, "conversation_id": null, "failed_attempts": null, "canonical_system": null, "provider_details": null, "provider_response_id": null}]	\N	\N	\N	\N	\N	\N	\N	30	2026-11-23 22:22:30.000678+00	2026-11-23 22:22:31.516012+00	\N	\N	\N	\N	\N	\N	e29953a5-65d9-4a0d-bba4-49ae718741ab	2026-11-23 22:22:31.524174+00	\N	\N	\N	\N
\.
COPY public.provider_logs (id, tenant_id, agent_id, chat_session_id, message_id, run_id, number, address, status, latency_ms, request, request_bytes, response, response_bytes, created_at, expires_at) FROM stdin;
52124d0a-4c35-44b9-8c2b-2e98db991ced	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	86e87ed5-2abf-490f-b74f-eb4eae7c9569	94597af6-315f-4f04-a8ef-f00408acee28	b117c71a-9b82-4cb9-8e74-07af39ce0d2f	1	POST https://api.example/v1/chat	200	1200	{"content": "Where are apples?"}	31	In aisle 7.�	12	2026-11-23 22:22:29.856128+00	2100-01-01 00:00:00+00
\.
COPY public.queued_messages (id, chat_session_id, user_id, parts, search_mode, model_type, problem, "position", created_at) FROM stdin;
1c74b841-db80-4d96-840f-73ca8e74bc2f	ab2d8249-6c6e-4e43-9517-d723c9291159	e898be10-1e67-4a0e-864c-38c61c23831a	[{"text": "And then?", "type": "text"}]	adaptive	speed	\N	1	2026-11-23 22:22:31.232364+00
\.
COPY public.search_words (id, chat_session_id, message_id, "position", words) FROM stdin;
24047990-6adc-4f42-8a4b-e74b6cbe0c95	24047990-6adc-4f42-8a4b-e74b6cbe0c95	\N	0	'@a33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb' '@c24047990-6adc-4f42-8a4b-e74b6cbe0c95' '@t' '@uf0cd250f-1133-42e0-af6e-07aa14afd42d' 'is':2 'my':3 'parcel':4 'where':1
3ca2c500-7356-4f55-833b-73ba4c8a3c15	24047990-6adc-4f42-8a4b-e74b6cbe0c95	3ca2c500-7356-4f55-833b-73ba4c8a3c15	1	'@a33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb' '@c24047990-6adc-4f42-8a4b-e74b6cbe0c95' '@m' '@uf0cd250f-1133-42e0-af6e-07aa14afd42d' 'is':2 'my':3 'parcel':4 'where':1
2e190fdb-f067-4a97-8d8a-edfa890abe6f	24047990-6adc-4f42-8a4b-e74b6cbe0c95	2e190fdb-f067-4a97-8d8a-edfa890abe6f	2	'@a33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb' '@c24047990-6adc-4f42-8a4b-e74b6cbe0c95' '@m' '@uf0cd250f-1133-42e0-af6e-07aa14afd42d' 'its':2 'on':1 'way':3
86e87ed5-2abf-490f-b74f-eb4eae7c9569	86e87ed5-2abf-490f-b74f-eb4eae7c9569	\N	0	'@a33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb' '@c86e87ed5-2abf-490f-b74f-eb4eae7c9569' '@t' '@u049d7017-c70a-4d39-80a4-6f27d63ec893' 'apples':3 'are':2 'where':1
d4deafdb-e9b7-4464-97e1-7921a995ecf0	86e87ed5-2abf-490f-b74f-eb4eae7c9569	d4deafdb-e9b7-4464-97e1-7921a995ecf0	3	'@a33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb' '@c86e87ed5-2abf-490f-b74f-eb4eae7c9569' '@m' '@u049d7017-c70a-4d39-80a4-6f27d63ec893' 'apples':3 'are':2 'where':1
f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	\N	0	'@cf38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'b':2,4 'is':3 'open':7 'rent':6 'the':5 'what':1
ea4fbc09-84ab-4e74-a2dc-c8919ef52475	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	ea4fbc09-84ab-4e74-a2dc-c8919ef52475	5	'@cf38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'b':2,4 'is':3 'open':7 'rent':6 'the':5 'what':1
31b2aa14-5a50-4c9f-a95a-0aafd095f01f	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	31b2aa14-5a50-4c9f-a95a-0aafd095f01f	6	'1':3,4,11 '@cf38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'due':8 'is':7 'print':10 'python':9 'rent':1,6 'the':5 'weekly':2
f2085f89-2d67-429f-89ae-629a4e3f0f1a	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	f2085f89-2d67-429f-89ae-629a4e3f0f1a	7	'@cf38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'deposit':4 'is':2 'the':3 'what':1
f0c73da3-0040-4ff4-adc8-8a9cfb6be475	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	f0c73da3-0040-4ff4-adc8-8a9cfb6be475	8	'@cf38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'months':2 'three':1
2c5c9ea0-62c2-480b-9f49-8434a897d0cc	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	\N	0	'@c2c5c9ea0-62c2-480b-9f49-8434a897d0cc' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'apples':1 'fair':4 'for':2 'the':3
7cd406a9-5b8f-41ee-873d-1b76aecfef25	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	7cd406a9-5b8f-41ee-873d-1b76aecfef25	9	'@c2c5c9ea0-62c2-480b-9f49-8434a897d0cc' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'apples':1 'fair':4 'for':2 'the':3
1a8d4013-f717-4881-963b-151f4f492028	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	1a8d4013-f717-4881-963b-151f4f492028	10	'@c2c5c9ea0-62c2-480b-9f49-8434a897d0cc' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'crates':2 'forty':1
e31e76d3-226b-465a-9a6f-6994bbc5d359	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	e31e76d3-226b-465a-9a6f-6994bbc5d359	11	'@c2c5c9ea0-62c2-480b-9f49-8434a897d0cc' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'and':1 'pears':2
bcbe8094-f88f-4b2c-8969-c4bfb7ac1631	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	bcbe8094-f88f-4b2c-8969-c4bfb7ac1631	12	'@c2c5c9ea0-62c2-480b-9f49-8434a897d0cc' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'crates':2 'ten':1
cf012f24-18e8-44e4-b005-19fc9d661f68	cf012f24-18e8-44e4-b005-19fc9d661f68	\N	0	'@ccf012f24-18e8-44e4-b005-19fc9d661f68' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'down':4 'plan':3 'the':2 'write':1
0d3c718e-1d92-4a63-807c-e0a3de53f7a7	cf012f24-18e8-44e4-b005-19fc9d661f68	0d3c718e-1d92-4a63-807c-e0a3de53f7a7	13	'@ccf012f24-18e8-44e4-b005-19fc9d661f68' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'down':4 'plan':3 'the':2 'write':1
d96abb25-b3e9-4d03-8434-b0246492927e	cf012f24-18e8-44e4-b005-19fc9d661f68	d96abb25-b3e9-4d03-8434-b0246492927e	14	'@ccf012f24-18e8-44e4-b005-19fc9d661f68' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'in':3 'is':2 'it':1 'md':5 'plan':4
3446b9bf-7489-422a-b619-65d53cd4ad15	3446b9bf-7489-422a-b619-65d53cd4ad15	\N	0	'@c3446b9bf-7489-422a-b619-65d53cd4ad15' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'apples':1
e13d6a17-6519-4ca1-b36e-a8f4d7ff278f	3446b9bf-7489-422a-b619-65d53cd4ad15	e13d6a17-6519-4ca1-b36e-a8f4d7ff278f	15	'@c3446b9bf-7489-422a-b619-65d53cd4ad15' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'apples':1
2e2cd1df-6877-4ec6-8f7e-8f2885e5b75d	3446b9bf-7489-422a-b619-65d53cd4ad15	2e2cd1df-6877-4ec6-8f7e-8f2885e5b75d	16	'@c3446b9bf-7489-422a-b619-65d53cd4ad15' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'first':3 'one':1 'thing':2
60ca48e6-fdf6-4e88-923d-b90db5ffec2c	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	\N	0	'@c60ca48e6-fdf6-4e88-923d-b90db5ffec2c' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'one':3 'stop':1 'this':2
ba4a74e1-cc14-493c-adb5-ae90d7f3eb59	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	ba4a74e1-cc14-493c-adb5-ae90d7f3eb59	17	'@c60ca48e6-fdf6-4e88-923d-b90db5ffec2c' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'one':3 'stop':1 'this':2
3fc5493b-7ea3-4d8b-abbe-d9a5a336506f	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	3fc5493b-7ea3-4d8b-abbe-d9a5a336506f	18	'@c60ca48e6-fdf6-4e88-923d-b90db5ffec2c' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'half':1 'of':2
73c096cc-72f6-41cf-85ef-e4c248a5deee	73c096cc-72f6-41cf-85ef-e4c248a5deee	\N	0	'@c73c096cc-72f6-41cf-85ef-e4c248a5deee' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'at':2 'fail':1 'this':3
286fa9ff-43d2-4921-94bb-e01aa6e484dd	73c096cc-72f6-41cf-85ef-e4c248a5deee	286fa9ff-43d2-4921-94bb-e01aa6e484dd	19	'@c73c096cc-72f6-41cf-85ef-e4c248a5deee' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'at':2 'fail':1 'this':3
ab2d8249-6c6e-4e43-9517-d723c9291159	ab2d8249-6c6e-4e43-9517-d723c9291159	\N	0	'@cab2d8249-6c6e-4e43-9517-d723c9291159' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'still':1 'writing':2
eb6b4537-72bf-486f-b70b-d6b107566cfc	ab2d8249-6c6e-4e43-9517-d723c9291159	eb6b4537-72bf-486f-b70b-d6b107566cfc	21	'@cab2d8249-6c6e-4e43-9517-d723c9291159' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'still':1 'writing':2
383a36cd-23a0-40b0-be70-3ab5dec80989	383a36cd-23a0-40b0-be70-3ab5dec80989	\N	0	'@c383a36cd-23a0-40b0-be70-3ab5dec80989' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'chat':3 'delete':1 'this':2
f4d5cfd0-2f53-465b-8651-7cbd6eb09b70	383a36cd-23a0-40b0-be70-3ab5dec80989	f4d5cfd0-2f53-465b-8651-7cbd6eb09b70	23	'@c383a36cd-23a0-40b0-be70-3ab5dec80989' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'chat':3 'delete':1 'this':2
944d674d-f3f1-47b4-a640-5964342b0d4a	383a36cd-23a0-40b0-be70-3ab5dec80989	944d674d-f3f1-47b4-a640-5964342b0d4a	24	'@c383a36cd-23a0-40b0-be70-3ab5dec80989' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'yes':1
82a50749-4225-41cc-a9a3-47a057e084f0	82a50749-4225-41cc-a9a3-47a057e084f0	\N	0	'@c82a50749-4225-41cc-a9a3-47a057e084f0' '@t' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'archive':1 'chat':3 'this':2
bec6cff4-7be8-4eb1-ae52-c741f5808783	82a50749-4225-41cc-a9a3-47a057e084f0	bec6cff4-7be8-4eb1-ae52-c741f5808783	25	'@c82a50749-4225-41cc-a9a3-47a057e084f0' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'archive':1 'chat':3 'this':2
74c8bffd-3f00-4723-9d59-66b8e57ccedd	82a50749-4225-41cc-a9a3-47a057e084f0	74c8bffd-3f00-4723-9d59-66b8e57ccedd	26	'@c82a50749-4225-41cc-a9a3-47a057e084f0' '@m' '@ue898be10-1e67-4a0e-864c-38c61c23831a' 'yes':1
0b69dbc0-5130-462d-994e-7ee1243f3302	0b69dbc0-5130-462d-994e-7ee1243f3302	\N	0	'@c0b69dbc0-5130-462d-994e-7ee1243f3302' '@t' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'b':2,4 'is':3 'open':7 'rent':6 'the':5 'what':1
77782777-ce15-4718-80ab-4d095e4b5ece	0b69dbc0-5130-462d-994e-7ee1243f3302	77782777-ce15-4718-80ab-4d095e4b5ece	27	'@c0b69dbc0-5130-462d-994e-7ee1243f3302' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'b':2,4 'is':3 'open':7 'rent':6 'the':5 'what':1
d1edff4c-9923-4f3f-a785-9f39ef34d862	0b69dbc0-5130-462d-994e-7ee1243f3302	d1edff4c-9923-4f3f-a785-9f39ef34d862	28	'1':3,4,11 '@c0b69dbc0-5130-462d-994e-7ee1243f3302' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'due':8 'is':7 'print':10 'python':9 'rent':1,6 'the':5 'weekly':2
e29953a5-65d9-4a0d-bba4-49ae718741ab	0b69dbc0-5130-462d-994e-7ee1243f3302	e29953a5-65d9-4a0d-bba4-49ae718741ab	29	'@c0b69dbc0-5130-462d-994e-7ee1243f3302' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'deposit':4 'is':2 'the':3 'what':1
b377b08f-ffc4-4da3-b323-be8efc30fd37	0b69dbc0-5130-462d-994e-7ee1243f3302	b377b08f-ffc4-4da3-b323-be8efc30fd37	30	'@c0b69dbc0-5130-462d-994e-7ee1243f3302' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'months':2 'three':1
c5cfefbc-f1cc-446c-8eab-150a6a3306d9	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	\N	0	'@cc5cfefbc-f1cc-446c-8eab-150a6a3306d9' '@t' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'blue':5 'is':2 'sky':4 'the':3 'why':1
873b460a-ee20-4ab5-add4-470a09a3dfcb	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	873b460a-ee20-4ab5-add4-470a09a3dfcb	31	'@cc5cfefbc-f1cc-446c-8eab-150a6a3306d9' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'blue':5 'is':2 'sky':4 'the':3 'why':1
7ec49c98-b301-4cdc-80e9-ae493f768001	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	7ec49c98-b301-4cdc-80e9-ae493f768001	32	'@cc5cfefbc-f1cc-446c-8eab-150a6a3306d9' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'air':4 'because':1 'its':3 'of':2
cbb30eb8-605e-4718-ac98-72624711e2ce	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	cbb30eb8-605e-4718-ac98-72624711e2ce	33	'@cc5cfefbc-f1cc-446c-8eab-150a6a3306d9' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'and':1 'at':2 'night':3
d77abcf2-e3b8-44ce-a1eb-32b01b30ccdb	c5cfefbc-f1cc-446c-8eab-150a6a3306d9	d77abcf2-e3b8-44ce-a1eb-32b01b30ccdb	34	'@cc5cfefbc-f1cc-446c-8eab-150a6a3306d9' '@m' '@uea19d661-88f7-4bf9-8aca-dc60efd64031' 'air':4 'because':1 'its':3 'of':2
\.
COPY public.security_events (id, user_id, kind, about, network, user_agent, created_at) FROM stdin;
049ac60b-4fad-4dcc-ac50-502d1dfba0fc	e898be10-1e67-4a0e-864c-38c61c23831a	signed_in	google	\N	A browser	2026-11-23 22:22:28.782987+00
3302dbb6-e3b7-4b77-952e-cc1f31657a1c	ea19d661-88f7-4bf9-8aca-dc60efd64031	signed_in	google	\N	A browser	2026-11-23 22:22:28.831187+00
920b750e-4ccc-45d4-a89c-655abca44c3a	e898be10-1e67-4a0e-864c-38c61c23831a	site_key_made	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	\N	A browser	2026-11-23 22:22:28.944045+00
1820c93f-26ea-4878-858c-ecdb60acd068	e898be10-1e67-4a0e-864c-38c61c23831a	signing_key_made	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	A browser	2026-11-23 22:22:28.986337+00
c6a03979-aaf7-420e-b679-35f6c14a376e	e898be10-1e67-4a0e-864c-38c61c23831a	tenant_invited	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	A browser	2026-11-23 22:22:29.016334+00
9faa037f-c520-4dc5-902a-3a31e2fef9f7	ea19d661-88f7-4bf9-8aca-dc60efd64031	tenant_joined	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	A browser	2026-11-23 22:22:29.03989+00
9cd88ff8-3269-4cf1-828d-70acc8807185	e898be10-1e67-4a0e-864c-38c61c23831a	tenant_invited	a15fff77-61eb-443c-812d-6ec5fae7a954	\N	A browser	2026-11-23 22:22:29.053437+00
b4d21909-0bff-4ed4-8027-119457e9006b	e898be10-1e67-4a0e-864c-38c61c23831a	link_made	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	\N	A browser	2026-11-23 22:22:30.079925+00
c50258fa-a549-422b-a8a1-88af169f44ac	e898be10-1e67-4a0e-864c-38c61c23831a	person_invited	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	\N	A browser	2026-11-23 22:22:30.248667+00
ce0e86ea-4e1e-4be0-9fcf-30609abbbb7c	e898be10-1e67-4a0e-864c-38c61c23831a	person_invited	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	\N	A browser	2026-11-23 22:22:30.373663+00
\.
COPY public.sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at, expires_at) FROM stdin;
\.
COPY public.signing_secrets (id, tenant_id, hint, sealed, created_at, expires_at) FROM stdin;
e1f85c9e-516e-4511-9e14-04c75f17b042	a15fff77-61eb-443c-812d-6ec5fae7a954	leaf_sign_EQQZn	k:sealed	2026-11-23 22:22:29.004699+00	\N
\.
COPY public.tenant_invitations (id, tenant_id, created_by, token_hash, created_at, expires_at) FROM stdin;
87e2b701-3f23-430f-837f-8d9e12bafe39	a15fff77-61eb-443c-812d-6ec5fae7a954	e898be10-1e67-4a0e-864c-38c61c23831a	b1b6fa084f885ffbcfa76848c95d65b7ad2d710d0160be2003ac12a017c97bfd	2026-11-23 22:22:29.062688+00	2026-11-30 22:22:29.062451+00
\.
COPY public.tenant_members (tenant_id, user_id, joined_at, alerts_seen_at) FROM stdin;
a15fff77-61eb-443c-812d-6ec5fae7a954	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:28.851089+00	2026-11-23 22:22:28.851089+00
a15fff77-61eb-443c-812d-6ec5fae7a954	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:29.03989+00	2026-11-23 22:22:29.03989+00
\.
COPY public.tenants (id, workspace_id, name, monthly_tokens, monthly_usd, created_at, updated_at) FROM stdin;
a15fff77-61eb-443c-812d-6ec5fae7a954	8c6b7760-1368-4bb9-a49c-118c9404820a	Shop	100	\N	2026-11-23 22:22:28.851089+00	2026-11-23 22:22:28.851089+00
\.
COPY public.usage_entries (id, run_id, purpose, user_id, workspace_id, chat_session_id, message_id, day, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms, created_at, first_text_ms, failed) FROM stdin;
df4695f3-4c16-46c4-88f6-d32024c0c365	c6a47ad0-b9f1-4744-8dc0-94ac04a9d44a	answer	f0cd250f-1133-42e0-af6e-07aa14afd42d	8c6b7760-1368-4bb9-a49c-118c9404820a	24047990-6adc-4f42-8a4b-e74b6cbe0c95	2e190fdb-f067-4a97-8d8a-edfa890abe6f	2026-11-23	sandbox:sandbox	1	70	30	0	0	0	\N	\N	2026-11-23 22:22:29.537525+00	\N	f
c15714f7-eb78-411b-a605-bc7e5f751ad9	feb3f335-1987-4eb9-9891-2bb2f5b7d009	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	31b2aa14-5a50-4c9f-a95a-0aafd095f01f	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:29.941742+00	\N	f
de704782-aa17-4e79-84c2-aaa83463738e	7b467631-f5a1-4185-a56a-a875e9d28696	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	f38f7a3c-28a2-4be2-bdb1-8d5fdcb7f8cd	f0c73da3-0040-4ff4-adc8-8a9cfb6be475	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:30.039104+00	\N	f
fd85937c-84ce-44a9-bed6-43d4b69d96f7	e99cd77c-15e1-4bd1-9b21-358b68f7c181	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	1a8d4013-f717-4881-963b-151f4f492028	2026-11-23	sandbox:sandbox	2	70	30	0	0	0	\N	\N	2026-11-23 22:22:30.222935+00	\N	f
4d45b414-8fae-43af-8b6e-7af11e6a6f9e	a20c2861-c4be-48e4-952f-bf1710051ba9	answer	ea19d661-88f7-4bf9-8aca-dc60efd64031	119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	bcbe8094-f88f-4b2c-8969-c4bfb7ac1631	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:30.351911+00	\N	f
84a11d37-0919-46b6-bd50-872f267cd814	318a5bc6-277d-4e4e-812d-81dc2aa6c0f2	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	cf012f24-18e8-44e4-b005-19fc9d661f68	d96abb25-b3e9-4d03-8434-b0246492927e	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:30.457541+00	\N	f
ae5eca21-f807-4889-953d-27843bc5d5b1	82dd58e6-fad5-48ae-a262-f3319f02a4e3	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	3446b9bf-7489-422a-b619-65d53cd4ad15	2e2cd1df-6877-4ec6-8f7e-8f2885e5b75d	2026-11-23	sandbox:sandbox	3	700	300	200	100	50	0.0125	1500	2026-11-23 22:22:31.042041+00	\N	f
75a78720-266f-46c0-8102-7507867e029e	a0c6eccf-496a-4f90-9d7c-023f299846c2	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	60ca48e6-fdf6-4e88-923d-b90db5ffec2c	3fc5493b-7ea3-4d8b-abbe-d9a5a336506f	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:31.114974+00	\N	f
142e93b4-70ca-4b6b-b46a-6030491896a1	a30c52f1-a00f-4847-96c6-a15bc0a1560c	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	73c096cc-72f6-41cf-85ef-e4c248a5deee	cf3c1607-c287-4fce-84f2-7188c472eead	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:31.184187+00	\N	t
45f1642f-5876-46a1-890c-e17b91badabe	09cf25e0-5c90-454a-9454-70bd03b00fbf	title	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	2c5c9ea0-62c2-480b-9f49-8434a897d0cc	\N	2026-11-23	sandbox:sandbox-0	1	7	3	0	0	0	\N	\N	2026-11-23 22:22:31.233312+00	\N	f
d5f7ab27-a8cd-43a0-bfc9-4b95f4179fbd	fbc5ac6d-7e58-46ea-bfc4-d9c36b820742	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	383a36cd-23a0-40b0-be70-3ab5dec80989	944d674d-f3f1-47b4-a640-5964342b0d4a	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:31.302414+00	\N	f
c9673432-030e-4c95-b4f5-d16a6a4592ba	d521da0a-de8f-475e-952f-4f50f2e86a01	answer	e898be10-1e67-4a0e-864c-38c61c23831a	dfa7e053-3299-4aa4-85df-c94db511655c	82a50749-4225-41cc-a9a3-47a057e084f0	74c8bffd-3f00-4723-9d59-66b8e57ccedd	2026-11-23	sandbox:sandbox	0	0	0	0	0	0	\N	\N	2026-11-23 22:22:31.369265+00	\N	f
\.
COPY public.user_settings (user_id, search_mode, model_type, instructions, created_at, updated_at) FROM stdin;
e898be10-1e67-4a0e-864c-38c61c23831a	adaptive	\N	Answer briefly.	2026-11-23 22:22:31.232544+00	2026-11-23 22:22:31.232551+00
\.
COPY public.users (id, email, name, picture_url, created_at, updated_at, display_name) FROM stdin;
e898be10-1e67-4a0e-864c-38c61c23831a	ada@example.org	Ada Example	\N	2026-11-23 22:22:28.767641+00	2026-11-23 22:22:28.767641+00	\N
ea19d661-88f7-4bf9-8aca-dc60efd64031	ben@example.org	Ben Example	\N	2026-11-23 22:22:28.818927+00	2026-11-23 22:22:28.818927+00	\N
f0cd250f-1133-42e0-af6e-07aa14afd42d			\N	2026-11-23 22:22:29.210933+00	2026-11-23 22:22:29.210933+00	\N
049d7017-c70a-4d39-80a4-6f27d63ec893			\N	2026-11-23 22:22:29.771146+00	2026-11-23 22:22:29.771146+00	\N
\.
COPY public.visitors (user_id, tenant_id, agent_id, kind, subject, created_at, last_seen_at) FROM stdin;
f0cd250f-1133-42e0-af6e-07aa14afd42d	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	session	0f50314ece26d32b3e99a5c4cf28f5dddae971bb8d9db4f0e36675012d7c0b7d	2026-11-23 22:22:29.210933+00	2026-11-23 22:22:29.210933+00
049d7017-c70a-4d39-80a4-6f27d63ec893	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	session	01c4e7b2774bbd53559add38610ab5011a0da147dfc71241b0f1e02ec0b7a960	2026-11-23 22:22:29.771146+00	2026-11-23 22:22:29.771146+00
\.
COPY public.widget_chats (chat_session_id, tenant_id, agent_id, context, created_at, active_at, listed) FROM stdin;
24047990-6adc-4f42-8a4b-e74b6cbe0c95	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	{"userAgent": "python-httpx/0.28.1"}	2026-11-23 22:22:29.253702+00	2026-11-23 22:22:29.537525+00	t
86e87ed5-2abf-490f-b74f-eb4eae7c9569	a15fff77-61eb-443c-812d-6ec5fae7a954	33692cd8-dbb5-4fdc-84a4-9b1ffd7986eb	{"pageUrl": "https://shop.example/cart"}	2026-11-23 22:22:29.784071+00	2026-11-23 22:22:29.793346+00	t
\.
COPY public.workspace_members (workspace_id, user_id, created_at) FROM stdin;
dfa7e053-3299-4aa4-85df-c94db511655c	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:28.767641+00
119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:28.818927+00
8c6b7760-1368-4bb9-a49c-118c9404820a	f0cd250f-1133-42e0-af6e-07aa14afd42d	2026-11-23 22:22:29.210933+00
8c6b7760-1368-4bb9-a49c-118c9404820a	049d7017-c70a-4d39-80a4-6f27d63ec893	2026-11-23 22:22:29.771146+00
\.
COPY public.workspaces (id, name, personal_user_id, created_at, updated_at) FROM stdin;
dfa7e053-3299-4aa4-85df-c94db511655c	Ada's Workspace	e898be10-1e67-4a0e-864c-38c61c23831a	2026-11-23 22:22:28.767641+00	2026-11-23 22:22:28.767641+00
119f5a1e-eded-4808-8bc2-5b1b3f8cdf31	Ben's Workspace	ea19d661-88f7-4bf9-8aca-dc60efd64031	2026-11-23 22:22:28.818927+00	2026-11-23 22:22:28.818927+00
8c6b7760-1368-4bb9-a49c-118c9404820a	Shop	\N	2026-11-23 22:22:28.851089+00	2026-11-23 22:22:28.851089+00
\.
SELECT pg_catalog.setval('public.messages_position_seq', 34, true);
SELECT pg_catalog.setval('public.queued_messages_position_seq', 1, true);
ALTER TABLE ONLY public.agent_keys
    ADD CONSTRAINT agent_keys_key_key UNIQUE (key);
ALTER TABLE ONLY public.agent_keys
    ADD CONSTRAINT agent_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_tenant_id_id_key UNIQUE (tenant_id, id);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.budget_alerts
    ADD CONSTRAINT budget_alerts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.budget_alerts
    ADD CONSTRAINT budget_alerts_tenant_id_agent_id_unit_percent_period_key UNIQUE NULLS NOT DISTINCT (tenant_id, agent_id, unit, percent, period);
ALTER TABLE ONLY public.chat_file_originals
    ADD CONSTRAINT chat_file_originals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_file_id_number_key UNIQUE (file_id, number);
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_run_id_call_id_key UNIQUE (run_id, call_id);
ALTER TABLE ONLY public.chat_files
    ADD CONSTRAINT chat_files_chat_session_id_path_key UNIQUE (chat_session_id, path);
ALTER TABLE ONLY public.chat_files
    ADD CONSTRAINT chat_files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_invitations
    ADD CONSTRAINT chat_invitations_chat_session_id_email_key UNIQUE (chat_session_id, email);
ALTER TABLE ONLY public.chat_invitations
    ADD CONSTRAINT chat_invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_participants
    ADD CONSTRAINT chat_participants_pkey PRIMARY KEY (chat_session_id, user_id);
ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_chat_session_id_key UNIQUE (chat_session_id);
ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_token_key UNIQUE (token);
ALTER TABLE ONLY public.chat_summaries
    ADD CONSTRAINT chat_summaries_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY public.chat_summaries
    ADD CONSTRAINT chat_summaries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_provider_file_id_revision_key UNIQUE (user_id, provider, file_id, revision);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_user_id_run_id_key UNIQUE (user_id, run_id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_provider_subject_key UNIQUE (provider, subject);
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_user_id_workspace_id_provider_key UNIQUE (user_id, workspace_id, provider);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_chat_session_id_id_key UNIQUE (chat_session_id, id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_workflow_run_id_key UNIQUE (workflow_run_id);
ALTER TABLE ONLY public.provider_logs
    ADD CONSTRAINT provider_logs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.queued_messages
    ADD CONSTRAINT queued_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.security_events
    ADD CONSTRAINT security_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.signing_secrets
    ADD CONSTRAINT signing_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tenant_invitations
    ADD CONSTRAINT tenant_invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tenant_invitations
    ADD CONSTRAINT tenant_invitations_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.tenant_members
    ADD CONSTRAINT tenant_members_pkey PRIMARY KEY (tenant_id, user_id);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_workspace_id_key UNIQUE (workspace_id);
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_run_id_purpose_user_id_key UNIQUE (run_id, purpose, user_id);
ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.visitors
    ADD CONSTRAINT visitors_agent_id_kind_subject_key UNIQUE (agent_id, kind, subject);
ALTER TABLE ONLY public.visitors
    ADD CONSTRAINT visitors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.widget_chats
    ADD CONSTRAINT widget_chats_pkey PRIMARY KEY (chat_session_id);
ALTER TABLE ONLY public.workspace_members
    ADD CONSTRAINT workspace_members_pkey PRIMARY KEY (workspace_id, user_id);
ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_personal_user_id_key UNIQUE (personal_user_id);
ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
CREATE INDEX agent_keys_tenant_id_agent_id_idx ON public.agent_keys USING btree (tenant_id, agent_id);
CREATE INDEX agents_origins_idx ON public.agents USING gin (origins);
CREATE INDEX api_keys_user_id_idx ON public.api_keys USING btree (user_id);
CREATE INDEX chat_file_originals_chat_session_id_idx ON public.chat_file_originals USING btree (chat_session_id);
CREATE INDEX chat_file_originals_user_id_idx ON public.chat_file_originals USING btree (user_id);
CREATE INDEX chat_file_versions_chat_session_id_idx ON public.chat_file_versions USING btree (chat_session_id);
CREATE INDEX chat_file_versions_original_id_idx ON public.chat_file_versions USING btree (original_id);
CREATE INDEX chat_file_versions_user_id_idx ON public.chat_file_versions USING btree (user_id);
CREATE INDEX chat_invitations_email_idx ON public.chat_invitations USING btree (email);
CREATE INDEX chat_invitations_invited_by_idx ON public.chat_invitations USING btree (invited_by);
CREATE INDEX chat_participants_archived_idx ON public.chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NOT NULL));
CREATE INDEX chat_participants_changed_idx ON public.chat_participants USING btree (user_id, changed_at);
CREATE INDEX chat_participants_chats_idx ON public.chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NULL) AND (pinned_at IS NULL));
CREATE INDEX chat_participants_listed_idx ON public.chat_participants USING btree (user_id, active_at DESC) WHERE listed;
CREATE INDEX chat_participants_pinned_idx ON public.chat_participants USING btree (user_id, active_at DESC, chat_session_id DESC) WHERE (listed AND (archived_at IS NULL) AND (pinned_at IS NOT NULL));
CREATE INDEX chat_participants_unlisted_idx ON public.chat_participants USING btree (user_id) WHERE (NOT listed);
CREATE INDEX chat_participants_user_id_idx ON public.chat_participants USING btree (user_id);
CREATE INDEX chat_sessions_created_by_idx ON public.chat_sessions USING btree (created_by);
CREATE INDEX chat_sessions_deleted_at_idx ON public.chat_sessions USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX chat_sessions_deleted_by_idx ON public.chat_sessions USING btree (deleted_by) WHERE (deleted_by IS NOT NULL);
CREATE UNIQUE INDEX chat_sessions_imported_key_idx ON public.chat_sessions USING btree (created_by, imported_key) WHERE ((imported_key IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX chat_sessions_workspace_id_updated_at_idx ON public.chat_sessions USING btree (workspace_id, updated_at DESC);
CREATE INDEX chat_shares_created_by_idx ON public.chat_shares USING btree (created_by);
CREATE INDEX chat_summaries_chat_session_id_idx ON public.chat_summaries USING btree (chat_session_id);
CREATE INDEX chat_summaries_user_id_idx ON public.chat_summaries USING btree (user_id);
CREATE INDEX feedback_created_at_idx ON public.feedback USING btree (created_at);
CREATE INDEX feedback_message_id_idx ON public.feedback USING btree (message_id);
CREATE INDEX identities_user_id_idx ON public.identities USING btree (user_id);
CREATE UNIQUE INDEX imports_unfinished_idx ON public.imports USING btree (user_id) WHERE (status = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE INDEX imports_user_id_created_at_idx ON public.imports USING btree (user_id, created_at DESC);
CREATE INDEX imports_workspace_id_idx ON public.imports USING btree (workspace_id);
CREATE INDEX integrations_workspace_id_idx ON public.integrations USING btree (workspace_id);
CREATE INDEX messages_chat_session_id_position_idx ON public.messages USING btree (chat_session_id, "position");
CREATE INDEX messages_client_due_at_idx ON public.messages USING btree (client_due_at) WHERE (client_due_at IS NOT NULL);
CREATE INDEX messages_failed_chat_idx ON public.messages USING btree (chat_session_id) WHERE (status = 'error'::public.message_status);
CREATE INDEX messages_failed_idx ON public.messages USING btree (updated_at) WHERE (status = 'error'::public.message_status);
CREATE INDEX messages_open_idx ON public.messages USING btree (chat_session_id) WHERE (status <> ALL (ARRAY['completed'::public.message_status, 'error'::public.message_status, 'stopped'::public.message_status]));
CREATE INDEX messages_parent_id_idx ON public.messages USING btree (parent_id);
CREATE INDEX messages_unfinished_idx ON public.messages USING btree (run_at) WHERE (status = ANY (ARRAY['pending'::public.message_status, 'streaming'::public.message_status]));
CREATE INDEX messages_user_id_idx ON public.messages USING btree (user_id);
CREATE INDEX provider_logs_chat_session_id_created_at_idx ON public.provider_logs USING btree (chat_session_id, created_at);
CREATE INDEX provider_logs_expires_at_idx ON public.provider_logs USING btree (expires_at);
CREATE INDEX provider_logs_message_id_idx ON public.provider_logs USING btree (message_id);
CREATE INDEX provider_logs_tenant_id_agent_id_idx ON public.provider_logs USING btree (tenant_id, agent_id);
CREATE INDEX queued_messages_chat_session_id_position_idx ON public.queued_messages USING btree (chat_session_id, "position");
CREATE INDEX queued_messages_user_id_idx ON public.queued_messages USING btree (user_id);
CREATE INDEX search_words_chat_session_id_position_idx ON public.search_words USING btree (chat_session_id, "position" DESC);
CREATE INDEX search_words_words_idx ON public.search_words USING gin (words) WITH (fastupdate=off);
CREATE INDEX security_events_created_at_idx ON public.security_events USING btree (created_at DESC);
CREATE INDEX security_events_user_id_idx ON public.security_events USING btree (user_id, created_at DESC);
CREATE INDEX sessions_user_id_idx ON public.sessions USING btree (user_id);
CREATE INDEX signing_secrets_tenant_id_idx ON public.signing_secrets USING btree (tenant_id);
CREATE INDEX tenant_invitations_created_by_idx ON public.tenant_invitations USING btree (created_by);
CREATE INDEX tenant_invitations_tenant_id_idx ON public.tenant_invitations USING btree (tenant_id);
CREATE INDEX tenant_members_user_id_idx ON public.tenant_members USING btree (user_id);
CREATE INDEX usage_entries_chat_session_id_idx ON public.usage_entries USING btree (chat_session_id);
CREATE INDEX usage_entries_message_id_idx ON public.usage_entries USING btree (message_id);
CREATE INDEX usage_entries_user_id_day_idx ON public.usage_entries USING btree (user_id, day);
CREATE INDEX usage_entries_workspace_id_day_idx ON public.usage_entries USING btree (workspace_id, day);
CREATE INDEX usage_entries_workspace_id_idx ON public.usage_entries USING btree (workspace_id);
CREATE INDEX users_lower_email_idx ON public.users USING btree (lower(email));
CREATE INDEX visitors_tenant_id_agent_id_idx ON public.visitors USING btree (tenant_id, agent_id);
CREATE INDEX widget_chats_listed_idx ON public.widget_chats USING btree (agent_id, active_at DESC, chat_session_id DESC) WHERE listed;
CREATE INDEX widget_chats_tenant_id_agent_id_created_at_idx ON public.widget_chats USING btree (tenant_id, agent_id, created_at DESC);
CREATE INDEX workspace_members_user_id_idx ON public.workspace_members USING btree (user_id);
CREATE TRIGGER chat_files_chat_marks AFTER INSERT ON public.chat_files FOR EACH ROW EXECUTE FUNCTION public.leaf_chat_file_marks();
CREATE TRIGGER chat_participants_marks BEFORE INSERT OR UPDATE ON public.chat_participants FOR EACH ROW EXECUTE FUNCTION public.leaf_participant_marks();
CREATE TRIGGER chat_sessions_imported_key BEFORE UPDATE OF deleted_at, created_by ON public.chat_sessions FOR EACH ROW WHEN (((old.imported_key IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION public.leaf_forget_imported_key();
CREATE TRIGGER chat_sessions_keep_words AFTER UPDATE OF title ON public.chat_sessions FOR EACH ROW WHEN (((old.title)::text IS DISTINCT FROM (new.title)::text)) EXECUTE FUNCTION public.leaf_keep_title_words();
CREATE TRIGGER chat_sessions_keep_words_of_new AFTER INSERT ON public.chat_sessions FOR EACH ROW WHEN ((new.title IS NOT NULL)) EXECUTE FUNCTION public.leaf_keep_title_words();
CREATE TRIGGER chat_sessions_listing AFTER UPDATE OF title, updated_at, begun, running, waiting, answered_at, deleted_at ON public.chat_sessions FOR EACH ROW WHEN ((old.title, old.updated_at, old.begun, old.running, old.waiting, old.answered_at, old.deleted_at) IS DISTINCT FROM (new.title, new.updated_at, new.begun, new.running, new.waiting, new.answered_at, new.deleted_at)) EXECUTE FUNCTION public.leaf_chat_listing();
CREATE TRIGGER chat_sessions_move_words AFTER UPDATE OF created_by ON public.chat_sessions FOR EACH ROW WHEN ((old.created_by IS DISTINCT FROM new.created_by)) EXECUTE FUNCTION public.leaf_move_words();
CREATE TRIGGER chat_shares_content BEFORE INSERT OR UPDATE OF message_ids ON public.chat_shares FOR EACH ROW EXECUTE FUNCTION public.leaf_share_content();
CREATE TRIGGER messages_answer_usage AFTER UPDATE OF status ON public.messages FOR EACH ROW WHEN (((new.role = 'assistant'::public.message_role) AND (new.user_id IS NOT NULL) AND (old.status = ANY (ARRAY['pending'::public.message_status, 'streaming'::public.message_status])) AND (new.status <> ALL (ARRAY['pending'::public.message_status, 'streaming'::public.message_status])))) EXECUTE FUNCTION public.leaf_answer_usage();
CREATE TRIGGER messages_chat_activity AFTER INSERT OR UPDATE OF parts ON public.messages FOR EACH ROW EXECUTE FUNCTION public.leaf_chat_activity();
CREATE TRIGGER messages_chat_marks AFTER INSERT OR DELETE OR UPDATE OF status ON public.messages FOR EACH ROW EXECUTE FUNCTION public.leaf_chat_marks();
CREATE TRIGGER messages_keep_words AFTER INSERT OR UPDATE OF parts ON public.messages FOR EACH ROW EXECUTE FUNCTION public.leaf_keep_words();
CREATE TRIGGER messages_parent BEFORE INSERT ON public.messages FOR EACH ROW WHEN ((new.parent_id IS NOT NULL)) EXECUTE FUNCTION public.leaf_message_parent();
CREATE TRIGGER messages_run_begins BEFORE UPDATE OF workflow_run_id ON public.messages FOR EACH ROW WHEN ((old.workflow_run_id IS DISTINCT FROM new.workflow_run_id)) EXECUTE FUNCTION public.leaf_run_begins();
CREATE TRIGGER tenant_members_left AFTER DELETE ON public.tenant_members FOR EACH ROW EXECUTE FUNCTION public.leaf_tenant_left();
CREATE TRIGGER tenants_deleted AFTER DELETE ON public.tenants FOR EACH ROW EXECUTE FUNCTION public.leaf_tenant_deleted();
CREATE TRIGGER users_deleted AFTER DELETE ON public.users FOR EACH ROW WHEN ((old.email <> ''::text)) EXECUTE FUNCTION public.leaf_account_deleted();
CREATE TRIGGER visitors_deleted AFTER DELETE ON public.visitors FOR EACH ROW EXECUTE FUNCTION public.leaf_visitor_deleted();
CREATE TRIGGER widget_chats_marks BEFORE INSERT ON public.widget_chats FOR EACH ROW EXECUTE FUNCTION public.leaf_widget_chat_marks();
ALTER TABLE ONLY public.agent_keys
    ADD CONSTRAINT agent_keys_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES public.agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.budget_alerts
    ADD CONSTRAINT budget_alerts_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES public.agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.budget_alerts
    ADD CONSTRAINT budget_alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_file_originals
    ADD CONSTRAINT chat_file_originals_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_file_originals
    ADD CONSTRAINT chat_file_originals_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_file_id_fkey FOREIGN KEY (file_id) REFERENCES public.chat_files(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_original_id_fkey FOREIGN KEY (original_id) REFERENCES public.chat_file_originals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_file_versions
    ADD CONSTRAINT chat_file_versions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.chat_files
    ADD CONSTRAINT chat_files_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_invitations
    ADD CONSTRAINT chat_invitations_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_invitations
    ADD CONSTRAINT chat_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_participants
    ADD CONSTRAINT chat_participants_branch_id_fkey FOREIGN KEY (chat_session_id, branch_id) REFERENCES public.messages(chat_session_id, id) ON DELETE SET NULL (branch_id);
ALTER TABLE ONLY public.chat_participants
    ADD CONSTRAINT chat_participants_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_participants
    ADD CONSTRAINT chat_participants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_summaries
    ADD CONSTRAINT chat_summaries_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_summaries
    ADD CONSTRAINT chat_summaries_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.chat_summaries
    ADD CONSTRAINT chat_summaries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_parent_id_fkey FOREIGN KEY (chat_session_id, parent_id) REFERENCES public.messages(chat_session_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.provider_logs
    ADD CONSTRAINT provider_logs_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.provider_logs
    ADD CONSTRAINT provider_logs_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.provider_logs
    ADD CONSTRAINT provider_logs_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES public.agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queued_messages
    ADD CONSTRAINT queued_messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queued_messages
    ADD CONSTRAINT queued_messages_participant_fkey FOREIGN KEY (chat_session_id, user_id) REFERENCES public.chat_participants(chat_session_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queued_messages
    ADD CONSTRAINT queued_messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.security_events
    ADD CONSTRAINT security_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.signing_secrets
    ADD CONSTRAINT signing_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_invitations
    ADD CONSTRAINT tenant_invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_invitations
    ADD CONSTRAINT tenant_invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_members
    ADD CONSTRAINT tenant_members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_members
    ADD CONSTRAINT tenant_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.usage_entries
    ADD CONSTRAINT usage_entries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.visitors
    ADD CONSTRAINT visitors_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES public.agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.visitors
    ADD CONSTRAINT visitors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.widget_chats
    ADD CONSTRAINT widget_chats_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.widget_chats
    ADD CONSTRAINT widget_chats_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES public.agents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.workspace_members
    ADD CONSTRAINT workspace_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.workspace_members
    ADD CONSTRAINT workspace_members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_personal_user_id_fkey FOREIGN KEY (personal_user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.agent_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_keys_delete ON public.agent_keys FOR DELETE TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY agent_keys_insert ON public.agent_keys FOR INSERT TO leaf_app WITH CHECK (public.leaf_is_member(tenant_id));
CREATE POLICY agent_keys_select ON public.agent_keys FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
ALTER TABLE public.agents ENABLE ROW LEVEL SECURITY;
CREATE POLICY agents_delete ON public.agents FOR DELETE TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY agents_insert ON public.agents FOR INSERT TO leaf_app WITH CHECK (public.leaf_is_member(tenant_id));
CREATE POLICY agents_select ON public.agents FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY agents_update ON public.agents FOR UPDATE TO leaf_app USING (public.leaf_is_member(tenant_id)) WITH CHECK (public.leaf_is_member(tenant_id));
ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_delete ON public.api_keys FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY api_keys_insert ON public.api_keys FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY api_keys_no_visitor ON public.api_keys AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY api_keys_select ON public.api_keys FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.budget_alerts ENABLE ROW LEVEL SECURITY;
CREATE POLICY budget_alerts_select ON public.budget_alerts FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
ALTER TABLE public.chat_file_originals ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_originals_delete ON public.chat_file_originals FOR DELETE TO leaf_app USING (public.leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_originals_insert ON public.chat_file_originals FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
CREATE POLICY chat_file_originals_select ON public.chat_file_originals FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.chat_file_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_file_versions_delete ON public.chat_file_versions FOR DELETE TO leaf_app USING (public.leaf_is_participant(chat_session_id));
CREATE POLICY chat_file_versions_insert ON public.chat_file_versions FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id) AND (EXISTS ( SELECT
   FROM public.chat_files f
  WHERE ((f.id = chat_file_versions.file_id) AND (f.chat_session_id = chat_file_versions.chat_session_id)))) AND ((original_id IS NULL) OR (EXISTS ( SELECT
   FROM public.chat_file_originals o
  WHERE ((o.id = chat_file_versions.original_id) AND (o.chat_session_id = chat_file_versions.chat_session_id)))))));
CREATE POLICY chat_file_versions_select ON public.chat_file_versions FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.chat_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_files_insert ON public.chat_files FOR INSERT TO leaf_app WITH CHECK (public.leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_select ON public.chat_files FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
CREATE POLICY chat_files_update ON public.chat_files FOR UPDATE TO leaf_app USING (public.leaf_is_participant(chat_session_id)) WITH CHECK (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.chat_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_invitations_delete ON public.chat_invitations FOR DELETE TO leaf_app USING ((invited_by = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_invitations_insert ON public.chat_invitations FOR INSERT TO leaf_app WITH CHECK (((invited_by = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_creator(chat_session_id)));
CREATE POLICY chat_invitations_no_visitor ON public.chat_invitations AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY chat_invitations_select ON public.chat_invitations FOR SELECT TO leaf_app USING ((invited_by = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.chat_participants ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_participants_delete ON public.chat_participants FOR DELETE TO leaf_app USING ((public.leaf_is_participant(chat_session_id) AND
CASE
    WHEN public.leaf_is_creator(chat_session_id) THEN (user_id <> ( SELECT public.leaf_user_id() AS leaf_user_id))
    ELSE (user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))
END));
CREATE POLICY chat_participants_insert ON public.chat_participants FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_creator(chat_session_id)));
CREATE POLICY chat_participants_select ON public.chat_participants FOR SELECT TO leaf_app USING ((((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND listed) OR public.leaf_is_participant(chat_session_id)));
CREATE POLICY chat_participants_update ON public.chat_participants FOR UPDATE TO leaf_app USING (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id))) WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
ALTER TABLE public.chat_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_sessions_delete ON public.chat_sessions FOR DELETE TO leaf_app USING ((public.leaf_is_participant(id) AND public.leaf_is_creator(id)));
CREATE POLICY chat_sessions_insert ON public.chat_sessions FOR INSERT TO leaf_app WITH CHECK (((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM public.workspace_members m
  WHERE (m.user_id = public.leaf_user_id())))));
CREATE POLICY chat_sessions_select ON public.chat_sessions FOR SELECT TO leaf_app USING (public.leaf_is_participant(id));
CREATE POLICY chat_sessions_update ON public.chat_sessions FOR UPDATE TO leaf_app USING (public.leaf_is_participant(id)) WITH CHECK (public.leaf_is_participant(id));
ALTER TABLE public.chat_shares ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_shares_delete ON public.chat_shares FOR DELETE TO leaf_app USING ((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_shares_insert ON public.chat_shares FOR INSERT TO leaf_app WITH CHECK (((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_creator(chat_session_id)));
CREATE POLICY chat_shares_no_visitor ON public.chat_shares AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY chat_shares_select ON public.chat_shares FOR SELECT TO leaf_app USING ((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY chat_shares_update ON public.chat_shares FOR UPDATE TO leaf_app USING ((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK (((created_by = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_creator(chat_session_id)));
ALTER TABLE public.chat_summaries ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_summaries_insert ON public.chat_summaries FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id) AND (EXISTS ( SELECT
   FROM public.messages m
  WHERE ((m.id = chat_summaries.message_id) AND (m.chat_session_id = chat_summaries.chat_session_id))))));
CREATE POLICY chat_summaries_select ON public.chat_summaries FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY documents_delete ON public.documents FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY documents_insert ON public.documents FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY documents_select ON public.documents FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.feedback ENABLE ROW LEVEL SECURITY;
CREATE POLICY feedback_delete ON public.feedback FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY feedback_insert ON public.feedback FOR INSERT TO leaf_app WITH CHECK (((NOT (user_id IS DISTINCT FROM ( SELECT public.leaf_user_id() AS leaf_user_id))) AND ((message_id IS NULL) OR (EXISTS ( SELECT
   FROM public.messages m
  WHERE ((m.id = feedback.message_id) AND (m.workflow_run_id = feedback.run_id) AND (m.role = 'assistant'::public.message_role)))))));
CREATE POLICY feedback_select ON public.feedback FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY feedback_update ON public.feedback FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY identities_select ON public.identities FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.imports ENABLE ROW LEVEL SECURITY;
CREATE POLICY imports_delete ON public.imports FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY imports_insert ON public.imports FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM public.workspace_members m
  WHERE (m.user_id = public.leaf_user_id())))));
CREATE POLICY imports_no_visitor ON public.imports AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY imports_select ON public.imports FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY imports_update ON public.imports FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.integrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY integrations_delete ON public.integrations FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY integrations_insert ON public.integrations FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND (workspace_id IN ( SELECT m.workspace_id
   FROM public.workspace_members m
  WHERE (m.user_id = public.leaf_user_id())))));
CREATE POLICY integrations_no_visitor ON public.integrations AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY integrations_select ON public.integrations FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY integrations_update ON public.integrations FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY messages_insert ON public.messages FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
CREATE POLICY messages_select ON public.messages FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
CREATE POLICY messages_update ON public.messages FOR UPDATE TO leaf_app USING (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id))) WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
ALTER TABLE public.provider_logs ENABLE ROW LEVEL SECURITY;
CREATE POLICY provider_logs_insert ON public.provider_logs FOR INSERT TO leaf_app WITH CHECK (public.leaf_may_log(tenant_id, agent_id, chat_session_id, message_id));
CREATE POLICY provider_logs_select ON public.provider_logs FOR SELECT TO leaf_app USING (((expires_at > now()) AND (EXISTS ( SELECT
   FROM public.leaf_tenant_chat(provider_logs.chat_session_id) leaf_tenant_chat(agent_id, title, kind, subject, context, started_at, active_at, archived)))));
ALTER TABLE public.queued_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY queued_messages_delete ON public.queued_messages FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY queued_messages_insert ON public.queued_messages FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
CREATE POLICY queued_messages_select ON public.queued_messages FOR SELECT TO leaf_app USING (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND public.leaf_is_participant(chat_session_id)));
CREATE POLICY queued_messages_update ON public.queued_messages FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.search_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY search_words_select ON public.search_words FOR SELECT TO leaf_app USING (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.security_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY security_events_insert ON public.security_events FOR INSERT TO leaf_app WITH CHECK ((NOT (user_id IS DISTINCT FROM ( SELECT public.leaf_user_id() AS leaf_user_id))));
CREATE POLICY security_events_select ON public.security_events FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_delete ON public.sessions FOR DELETE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY sessions_insert ON public.sessions FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY sessions_no_visitor ON public.sessions AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK ((NOT public.leaf_is_visitor()));
CREATE POLICY sessions_select ON public.sessions FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.signing_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY signing_secrets_delete ON public.signing_secrets FOR DELETE TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_insert ON public.signing_secrets FOR INSERT TO leaf_app WITH CHECK (public.leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_select ON public.signing_secrets FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY signing_secrets_update ON public.signing_secrets FOR UPDATE TO leaf_app USING (public.leaf_is_member(tenant_id)) WITH CHECK (public.leaf_is_member(tenant_id));
ALTER TABLE public.tenant_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_invitations_delete ON public.tenant_invitations FOR DELETE TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY tenant_invitations_insert ON public.tenant_invitations FOR INSERT TO leaf_app WITH CHECK ((public.leaf_is_member(tenant_id) AND (created_by = ( SELECT public.leaf_user_id() AS leaf_user_id))));
CREATE POLICY tenant_invitations_select ON public.tenant_invitations FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
ALTER TABLE public.tenant_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_members_delete ON public.tenant_members FOR DELETE TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY tenant_members_select ON public.tenant_members FOR SELECT TO leaf_app USING (public.leaf_is_member(tenant_id));
CREATE POLICY tenant_members_update ON public.tenant_members FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants_delete ON public.tenants FOR DELETE TO leaf_app USING (public.leaf_is_member(id));
CREATE POLICY tenants_select ON public.tenants FOR SELECT TO leaf_app USING (public.leaf_is_member(id));
CREATE POLICY tenants_update ON public.tenants FOR UPDATE TO leaf_app USING (public.leaf_is_member(id)) WITH CHECK (public.leaf_is_member(id));
ALTER TABLE public.usage_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY usage_entries_insert ON public.usage_entries FOR INSERT TO leaf_app WITH CHECK (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) AND ((workspace_id IS NULL) OR (workspace_id IN ( SELECT m.workspace_id
   FROM public.workspace_members m
  WHERE (m.user_id = public.leaf_user_id())))) AND ((chat_session_id IS NULL) OR public.leaf_is_participant(chat_session_id)) AND ((message_id IS NULL) OR (EXISTS ( SELECT
   FROM public.messages m
  WHERE ((m.id = usage_entries.message_id) AND (m.chat_session_id = usage_entries.chat_session_id)))))));
CREATE POLICY usage_entries_select ON public.usage_entries FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.user_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY user_settings_insert ON public.user_settings FOR INSERT TO leaf_app WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY user_settings_select ON public.user_settings FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY user_settings_update ON public.user_settings FOR UPDATE TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_select ON public.users FOR SELECT TO leaf_app USING ((id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
CREATE POLICY users_update ON public.users FOR UPDATE TO leaf_app USING ((id = ( SELECT public.leaf_user_id() AS leaf_user_id))) WITH CHECK ((id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.visitors ENABLE ROW LEVEL SECURITY;
CREATE POLICY visitors_select ON public.visitors FOR SELECT TO leaf_app USING (((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)) OR public.leaf_is_member(tenant_id)));
ALTER TABLE public.widget_chats ENABLE ROW LEVEL SECURITY;
CREATE POLICY widget_chats_insert ON public.widget_chats FOR INSERT TO leaf_app WITH CHECK ((public.leaf_is_creator(chat_session_id) AND ((tenant_id, agent_id) IN ( SELECT v.tenant_id,
    v.agent_id
   FROM public.visitors v
  WHERE (v.user_id = public.leaf_user_id())))));
CREATE POLICY widget_chats_select ON public.widget_chats FOR SELECT TO leaf_app USING ((public.leaf_is_participant(chat_session_id) OR public.leaf_is_member(tenant_id)));
CREATE POLICY widget_chats_update ON public.widget_chats FOR UPDATE TO leaf_app USING (public.leaf_is_participant(chat_session_id)) WITH CHECK (public.leaf_is_participant(chat_session_id));
ALTER TABLE public.workspace_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_members_select ON public.workspace_members FOR SELECT TO leaf_app USING ((user_id = ( SELECT public.leaf_user_id() AS leaf_user_id)));
ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_select ON public.workspaces FOR SELECT TO leaf_app USING ((id IN ( SELECT m.workspace_id
   FROM public.workspace_members m
  WHERE (m.user_id = public.leaf_user_id()))));
GRANT USAGE ON SCHEMA public TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_accept_invitation(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_accept_invitation(invitation uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_account_deleted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_admin_failures(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_failures(most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_admin_feedback(wanted text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_feedback(wanted text, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_admin_health() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_health() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_admin_security_events(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_security_events(most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_admin_usage(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_usage(since date) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_admin_users(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_admin_users(since date) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_agent_mark(chat uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_agent_of_chat(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_agent_of_chat(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_answer_usage() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_api_key(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_api_key(token_hash text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_chat_activity() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_chat_file_marks() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_chat_listing() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_chat_marks() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_decline_invitation(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_decline_invitation(invitation uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_delete_account() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_delete_account() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_delete_chats(chats uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_delete_chats(chats uuid[]) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_deleted_chats(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_deleted_chats(since timestamp with time zone) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_deleted_runs(older_than interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_deleted_runs(older_than interval, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_expire_provider_logs() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_expire_provider_logs() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_expire_widget_chats() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_expire_widget_chats() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_forget_imported_key() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_import_owner(import uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_import_owner(import uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_invited(invitation uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_invited(invitation uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_is_creator(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_is_creator(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_is_member(tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_is_member(tenant uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_is_participant(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_is_participant(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_is_visitor() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_is_visitor() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_join_tenant(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_join_tenant(token_hash text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_keep_title_words() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_keep_words() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_marked_words(written text, kind text, chat uuid, creator uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_may_log(tenant uuid, agent uuid, chat uuid, message uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_merge_visitor(session_visitor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_merge_visitor(session_visitor uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_message_parent() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_message_text(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_message_text(parts jsonb) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_more(now numeric, earlier numeric, went_on boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_more(now numeric, earlier numeric, went_on boolean) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_move_words() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_my_invitations() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_my_invitations() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_new_tenant(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_new_tenant(name text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_next_queued(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_next_queued(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_note_budgets(most_tokens bigint, most_usd numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_note_budgets(most_tokens bigint, most_usd numeric) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_origin_allowed(origin text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_origin_allowed(origin text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_overdue_client_calls(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_overdue_client_calls(most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_participant_marks() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_participants(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_participants(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_public_agent(public_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_public_agent(public_key text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_purge_chat(chat uuid, older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_purge_chat(chat uuid, older_than interval) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_purge_security_events(days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_purge_security_events(days integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_require_administrator() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_require_administrator() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_restore_chats(chats uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_restore_chats(chats uuid[]) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_run_begins() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_run_owner(run_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_run_owner(run_id uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_search(terms text[], unfinished boolean, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_search(terms text[], unfinished boolean, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_search_query(terms text[], unfinished boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_search_titles(terms text[], unfinished boolean, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_search_titles(terms text[], unfinished boolean, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_search_words(written text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_session_user(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_session_user(token_hash text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_share_content() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_shared_chat(token text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_shared_chat(token text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_shared_content(chat uuid, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_shared_content(chat uuid, ids uuid[]) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_shared_coverage(receipt jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_shared_coverage(receipt jsonb) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_shared_parts(parts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_shared_parts(parts jsonb) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_sign_in(provider text, subject text, email text, name text, first_name text, picture_url text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_stop_answers(chat uuid, person uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_stop_answers(chat uuid, person uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_chat(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_chat(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_chats(agent uuid, first_day timestamp with time zone, last_day timestamp with time zone, wanted text, sentiment text, phrase text, before_at timestamp with time zone, before_id uuid, most integer) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_deleted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_tenant_left() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_tenant_messages(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_messages(chat uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_people(tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_people(tenant uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_run(run uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_run(run uuid) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_standing(since date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_standing(since date) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_tenant_usage(agent uuid, since date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_tenant_usage(agent uuid, since date) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_touch_api_key(token_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_touch_api_key(token_hash text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_touch_session(token_hash text, expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_touch_session(token_hash text, expires_at timestamp with time zone) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_unfinished_imports(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_unfinished_imports(older_than interval) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_unfinished_runs(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_unfinished_runs(older_than interval) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_user_id() FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_user_id() TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_visitor(agent uuid, kind text, subject text, adds boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_visitor(agent uuid, kind text, subject text, adds boolean) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_visitor_deleted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_web_address(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_web_address(address text) TO leaf_app;
REVOKE ALL ON FUNCTION public.leaf_widget_chat_marks() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.leaf_workspace_in(chat uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leaf_workspace_in(chat uuid) TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.agent_keys TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.agents TO leaf_app;
GRANT UPDATE(name) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(system_prompt) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(model) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(temperature) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(tools) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(output_schema) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(context_injection) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(origins) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(identity) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(welcome) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(suggestions) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(look) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(visitor_daily) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(agent_daily) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(retention_days) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(paused) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(provider_logs) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(client_tools) ON TABLE public.agents TO leaf_app;
GRANT UPDATE(attachments) ON TABLE public.agents TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.api_keys TO leaf_app;
GRANT SELECT ON TABLE public.budget_alerts TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.chat_file_originals TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.chat_file_versions TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.chat_files TO leaf_app;
GRANT UPDATE(version) ON TABLE public.chat_files TO leaf_app;
GRANT UPDATE(size_bytes) ON TABLE public.chat_files TO leaf_app;
GRANT UPDATE(deleted) ON TABLE public.chat_files TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.chat_files TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.chat_invitations TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.chat_participants TO leaf_app;
GRANT UPDATE(branch_id) ON TABLE public.chat_participants TO leaf_app;
GRANT UPDATE(pinned_at) ON TABLE public.chat_participants TO leaf_app;
GRANT UPDATE(archived_at) ON TABLE public.chat_participants TO leaf_app;
GRANT UPDATE(read_at) ON TABLE public.chat_participants TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.chat_sessions TO leaf_app;
GRANT UPDATE(title) ON TABLE public.chat_sessions TO leaf_app;
GRANT UPDATE(used_drive) ON TABLE public.chat_sessions TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.chat_sessions TO leaf_app;
GRANT UPDATE(title_source) ON TABLE public.chat_sessions TO leaf_app;
GRANT UPDATE(approvals) ON TABLE public.chat_sessions TO leaf_app;
GRANT SELECT,DELETE ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(id) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(chat_session_id) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(created_by) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(token) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(message_ids),UPDATE(message_ids) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(expires_at),UPDATE(expires_at) ON TABLE public.chat_shares TO leaf_app;
GRANT INSERT(created_at) ON TABLE public.chat_shares TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.chat_summaries TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.documents TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.feedback TO leaf_app;
GRANT UPDATE(sentiment) ON TABLE public.feedback TO leaf_app;
GRANT UPDATE(comment) ON TABLE public.feedback TO leaf_app;
GRANT UPDATE(page) ON TABLE public.feedback TO leaf_app;
GRANT UPDATE(user_agent) ON TABLE public.feedback TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.feedback TO leaf_app;
GRANT SELECT ON TABLE public.identities TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.imports TO leaf_app;
GRANT UPDATE(data) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(status) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(attempts) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(total) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(done) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(imported) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(known) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(refused) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(left_out) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(problems) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(failure) ON TABLE public.imports TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.imports TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(status) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(status_reason) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(provider_account_email) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(access_token) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(refresh_token) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(token_expires_at) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(scopes) ON TABLE public.integrations TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.integrations TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.messages TO leaf_app;
GRANT UPDATE(parts) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(metadata) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(status) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(workflow_run_id) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(model) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(model_messages) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(input_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(output_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(cache_read_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(cache_write_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(cost_usd) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(error_code) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(error_text) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(thinking_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(requests) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(duration_ms) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(reserved_tokens) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(reserved_usd) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(answers) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(client_tools) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(client_calls) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(client_due_at) ON TABLE public.messages TO leaf_app;
GRANT UPDATE(first_text_ms) ON TABLE public.messages TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.provider_logs TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.queued_messages TO leaf_app;
GRANT UPDATE(parts) ON TABLE public.queued_messages TO leaf_app;
GRANT UPDATE(problem) ON TABLE public.queued_messages TO leaf_app;
GRANT SELECT ON TABLE public.search_words TO leaf_app;
GRANT SELECT ON TABLE public.security_events TO leaf_app;
GRANT INSERT(id) ON TABLE public.security_events TO leaf_app;
GRANT INSERT(user_id) ON TABLE public.security_events TO leaf_app;
GRANT INSERT(kind) ON TABLE public.security_events TO leaf_app;
GRANT INSERT(about) ON TABLE public.security_events TO leaf_app;
GRANT INSERT(network) ON TABLE public.security_events TO leaf_app;
GRANT INSERT(user_agent) ON TABLE public.security_events TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.sessions TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.signing_secrets TO leaf_app;
GRANT UPDATE(sealed) ON TABLE public.signing_secrets TO leaf_app;
GRANT UPDATE(expires_at) ON TABLE public.signing_secrets TO leaf_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.tenant_invitations TO leaf_app;
GRANT SELECT,DELETE ON TABLE public.tenant_members TO leaf_app;
GRANT UPDATE(alerts_seen_at) ON TABLE public.tenant_members TO leaf_app;
GRANT SELECT,DELETE ON TABLE public.tenants TO leaf_app;
GRANT UPDATE(name) ON TABLE public.tenants TO leaf_app;
GRANT UPDATE(monthly_tokens) ON TABLE public.tenants TO leaf_app;
GRANT UPDATE(monthly_usd) ON TABLE public.tenants TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.tenants TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.usage_entries TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.user_settings TO leaf_app;
GRANT UPDATE(search_mode) ON TABLE public.user_settings TO leaf_app;
GRANT UPDATE(model_type) ON TABLE public.user_settings TO leaf_app;
GRANT UPDATE(instructions) ON TABLE public.user_settings TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.user_settings TO leaf_app;
GRANT SELECT ON TABLE public.users TO leaf_app;
GRANT UPDATE(name) ON TABLE public.users TO leaf_app;
GRANT UPDATE(picture_url) ON TABLE public.users TO leaf_app;
GRANT UPDATE(updated_at) ON TABLE public.users TO leaf_app;
GRANT UPDATE(display_name) ON TABLE public.users TO leaf_app;
GRANT SELECT ON TABLE public.visitors TO leaf_app;
GRANT SELECT,INSERT ON TABLE public.widget_chats TO leaf_app;
GRANT UPDATE(context) ON TABLE public.widget_chats TO leaf_app;
GRANT SELECT ON TABLE public.workspace_members TO leaf_app;
GRANT SELECT ON TABLE public.workspaces TO leaf_app;
