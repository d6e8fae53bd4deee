-- A summary knows the tools of the turns that it stands for, so that nobody looks through them again.
ALTER TABLE chat_summaries ADD COLUMN tools text[] DEFAULT '{}' NOT NULL;

-- The names of the tools called from the last summary before a message, or the beginning of its chat, up to the message,
-- and those of that summary. Calls in imported messages are found in the messages for models only; Leaf's own answers
-- are long there, and their parts say it all. A file that came with a question counts as read, as the model may have
-- been shown it.
CREATE FUNCTION leaf_tools_until(message uuid) RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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
$$;
REVOKE ALL ON FUNCTION leaf_tools_until(message uuid) FROM PUBLIC;

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

DO $$
DECLARE
    one uuid;
BEGIN
    -- One after the other, as each begins with the tools of the one before it.
    FOR one IN SELECT s.message_id FROM chat_summaries s JOIN messages m ON m.id = s.message_id ORDER BY m.position LOOP
        UPDATE chat_summaries s SET tools = leaf_tools_until(one) WHERE s.message_id = one;
    END LOOP;
END
$$;

CREATE TRIGGER chat_summaries_tools BEFORE INSERT ON chat_summaries FOR EACH ROW EXECUTE FUNCTION leaf_summary_tools();

-- The messages before an answer, down from the newest summary on their way, or from the beginning of the chat where there
-- is none or `whole` is asked for; as the answer's worker needs them: rights are checked once and not for each message.
-- `covered` messages are those that the summary stands for. Its text, and the tools of all turns that it stands for, come
-- with the last of them. `offers` are the parts of answers that have one of these kinds.
CREATE FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) RETURNS TABLE(
    id uuid, role message_role, user_id uuid, covered boolean, summary text, tools text[], parts jsonb,
    model_messages jsonb, offers jsonb
)
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
REVOKE ALL ON FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_path(answer uuid, kinds text[], whole boolean) TO leaf_app;

-- Workers of the version before this one call it.
CREATE OR REPLACE FUNCTION leaf_path(answer uuid, kinds text[]) RETURNS TABLE(
    id uuid, role message_role, user_id uuid, covered boolean, summary text, parts jsonb, model_messages jsonb,
    offers jsonb
)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT p.id, p.role, p.user_id, p.covered, p.summary, p.parts, p.model_messages, p.offers
    FROM leaf_path(leaf_path.answer, leaf_path.kinds, true) p
$$;
