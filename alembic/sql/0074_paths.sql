-- The messages from the beginning of a chat down to the question of an answer, as its worker needs them: rights are
-- checked once and not for each message. `covered` messages are those that the newest summary on the path stands for;
-- its text comes with the last of them. `offers` are the parts of answers that have one of these kinds.
CREATE FUNCTION leaf_path(answer uuid, kinds text[]) RETURNS TABLE(
    id uuid, role message_role, user_id uuid, covered boolean, summary text, parts jsonb, model_messages jsonb,
    offers jsonb
)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH RECURSIVE path AS (
        SELECT m.id, m.parent_id, 0 AS depth FROM messages m
        WHERE m.id = leaf_path.answer AND leaf_is_participant(m.chat_session_id)
        UNION ALL
        SELECT m.id, m.parent_id, p.depth + 1 FROM path p JOIN messages m ON m.id = p.parent_id
    ), newest AS (
        SELECT p.depth, s.text FROM path p JOIN chat_summaries s ON s.message_id = p.id
        WHERE p.depth > 0 ORDER BY p.depth LIMIT 1
    )
    SELECT m.id, m.role, m.user_id, coalesce(p.depth >= n.depth, false), CASE WHEN p.depth = n.depth THEN n.text END,
        CASE WHEN m.role = 'user' THEN x.parts END,
        CASE WHEN n.depth IS NULL OR p.depth < n.depth THEN x.model_messages END,
        CASE WHEN m.role = 'assistant' THEN (
            SELECT jsonb_agg(part) FROM unnest(kinds) AS kind, jsonb_array_elements(x.parts) AS part
            -- Most messages offer nothing: they are not taken apart.
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
