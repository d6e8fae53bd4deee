-- Conversations: metadata of programs, what is known of each response of a model, sizes, and cold storage.

ALTER TABLE chat_sessions
    -- Of programs (leaf/sites/metadata.py); Leaf only keeps it.
    ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'::jsonb CONSTRAINT chat_sessions_metadata_check
        CHECK (jsonb_typeof(metadata) = 'object' AND octet_length(metadata::text) <= 65536),
    -- Bytes that the messages of the chat take in the database; kept by leaf_chat_activity.
    ADD COLUMN content_bytes bigint NOT NULL DEFAULT 0;
GRANT UPDATE (metadata, content_bytes) ON chat_sessions TO leaf_app;
CREATE INDEX chat_sessions_content_bytes_idx ON chat_sessions (content_bytes) WHERE content_bytes >= 524288;

ALTER TABLE messages
    -- The id and the time of each response of the model: `[{"id": …, "at": …}]`.
    ADD COLUMN responses jsonb
        CONSTRAINT messages_responses_check CHECK (responses IS NULL OR jsonb_typeof(responses) = 'array'),
    -- Whether `parts` and `model_messages` are in cold_messages; here they are empty then.
    ADD COLUMN cold boolean NOT NULL DEFAULT false;
GRANT UPDATE (responses) ON messages TO leaf_app;

UPDATE messages m SET responses = jsonb_path_query_array(m.model_messages, '$[*] ? (@.kind == "response")')
    WHERE m.role = 'assistant' AND jsonb_typeof(m.model_messages) = 'array';
UPDATE messages m SET responses = (
    SELECT jsonb_agg(jsonb_build_object('id', one -> 'provider_response_id', 'at', one -> 'timestamp') ORDER BY place)
    FROM jsonb_array_elements(m.responses) WITH ORDINALITY AS found (one, place)
) WHERE m.responses IS NOT NULL;
UPDATE chat_sessions c SET content_bytes = used.bytes
    FROM (
        SELECT m.chat_session_id, sum(pg_column_size(m.parts) + coalesce(pg_column_size(m.model_messages), 0)) AS bytes
        FROM messages m GROUP BY m.chat_session_id
    ) used WHERE used.chat_session_id = c.id;


-- Cold storage (decision 0062): the contents of conversations that nobody has used for long. PostgreSQL compresses
-- every row of more than 128 bytes; an operator can move the table to a cheaper disk (ALTER TABLE … SET TABLESPACE).
CREATE TABLE cold_messages (
    message_id uuid PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    parts jsonb NOT NULL,
    model_messages jsonb,
    moved_at timestamptz NOT NULL DEFAULT now()
) WITH (toast_tuple_target = 128);
CREATE INDEX cold_messages_chat_session_id_idx ON cold_messages (chat_session_id);

-- Rows are written by leaf_cool_chats alone.
GRANT SELECT ON cold_messages TO leaf_app;
ALTER TABLE cold_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY cold_messages_select ON cold_messages FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));

-- The contents of a message, wherever they are.
CREATE FUNCTION leaf_parts(message messages) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN message.cold
        THEN (SELECT c.parts FROM cold_messages c WHERE c.message_id = message.id) ELSE message.parts END
$$;
CREATE FUNCTION leaf_model_messages(message messages) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN message.cold
        THEN (SELECT c.model_messages FROM cold_messages c WHERE c.message_id = message.id)
        ELSE message.model_messages END
$$;

-- Moves the contents of chats without activity since then to cold storage; returns the number of messages.
CREATE FUNCTION leaf_cool_chats(older_than interval, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

-- Moves all contents back, for the version before; returns the number of messages. For operators.
CREATE FUNCTION leaf_warm_chats() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    moved bigint;
BEGIN
    -- The table is empty before the messages change: they are not thawed one by one.
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

-- A message that is written again becomes warm. A column that the statement leaves alone gets its contents back.
CREATE FUNCTION leaf_warm_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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
CREATE TRIGGER messages_warm_a BEFORE UPDATE OF parts ON messages
FOR EACH ROW WHEN (OLD.cold AND NEW.cold) EXECUTE FUNCTION leaf_warm_message('parts');
CREATE TRIGGER messages_warm_b BEFORE UPDATE OF model_messages ON messages
FOR EACH ROW WHEN (OLD.cold AND NEW.cold) EXECUTE FUNCTION leaf_warm_message('model_messages');

-- As before, and the move to cold storage is no activity; the size of the chat is counted here, in the same statement.
CREATE OR REPLACE FUNCTION leaf_chat_activity() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
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
                '$[*].type ? (@ == "tool-list_drive_folder" || @ == "tool-read_drive_file" || @ == "tool-search_drive")'
            )
            WHERE c.id = NEW.chat_session_id;
    END IF;
    RETURN NULL;
END
$$;

-- As before; the words of a message stay where its contents are moved.
CREATE OR REPLACE FUNCTION leaf_keep_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

CREATE OR REPLACE FUNCTION leaf_shared_content(chat uuid, ids uuid[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
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

-- Chats whose contents take at least so many bytes, the largest first.
CREATE FUNCTION leaf_large_chats(bytes bigint, most integer) RETURNS TABLE (chat_session_id uuid, content_bytes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id, c.content_bytes FROM chat_sessions c
    -- The second condition is that of the index: no limit is smaller.
    WHERE c.content_bytes >= leaf_large_chats.bytes AND c.content_bytes >= 524288 AND c.deleted_at IS NULL
    ORDER BY c.content_bytes DESC LIMIT leaf_large_chats.most
$$;


-- What the team of a site reads: the metadata of the conversation and of its messages, the responses of the model, and
-- the time at which the turns up to a message were summarised.
DROP FUNCTION leaf_tenant_messages(uuid);
CREATE FUNCTION leaf_tenant_messages(chat uuid) RETURNS TABLE (
    id uuid, parent_id uuid, role message_role, parts jsonb, status message_status, run_id uuid, model text,
    error_code text, error_text text, input_tokens integer, output_tokens integer, cost_usd numeric,
    duration_ms integer, first_text_ms integer, sentiment text, comment text, created_at timestamptz,
    updated_at timestamptz, metadata jsonb, responses jsonb, compacted_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
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

DROP FUNCTION leaf_tenant_chat(uuid) CASCADE;
CREATE FUNCTION leaf_tenant_chat(chat uuid) RETURNS TABLE (
    agent_id uuid, title text, kind text, subject text, context jsonb, started_at timestamptz, active_at timestamptz,
    archived boolean, metadata jsonb
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT w.agent_id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL, c.metadata
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    WHERE w.chat_session_id = leaf_tenant_chat.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;
CREATE POLICY provider_logs_select ON provider_logs FOR SELECT TO leaf_app
    USING (expires_at > now() AND EXISTS (SELECT FROM leaf_tenant_chat(chat_session_id)));

REVOKE ALL ON FUNCTION
    leaf_parts(messages),
    leaf_model_messages(messages),
    leaf_cool_chats(interval, integer),
    leaf_warm_chats(),
    leaf_warm_message(),
    leaf_large_chats(bigint, integer),
    leaf_tenant_messages(uuid),
    leaf_tenant_chat(uuid)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_parts(messages),
    leaf_model_messages(messages),
    leaf_cool_chats(interval, integer),
    leaf_large_chats(bigint, integer),
    leaf_tenant_messages(uuid),
    leaf_tenant_chat(uuid)
TO leaf_app;
