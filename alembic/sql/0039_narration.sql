-- Narration ("I'll look in your Drive.") is neither searched nor shown on public pages.

-- The places (from 1) of the texts that only announce what the agent does next: the rule of `leaf.parts.narration`.
CREATE FUNCTION leaf_narration(parts jsonb) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
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
REVOKE ALL ON FUNCTION leaf_narration(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_narration(jsonb) TO leaf_app;

CREATE OR REPLACE FUNCTION leaf_message_text(parts jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT string_agg(part ->> 'text', E'\n\n' ORDER BY place)
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS one (part, place)
    WHERE part ->> 'type' = 'text' AND part ->> 'text' <> '' AND place <> ALL ((SELECT leaf_narration(parts))::bigint[])
$$;

CREATE OR REPLACE FUNCTION leaf_shared_parts(parts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
AS $$
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
$$;

-- The words of earlier answers.
UPDATE search_words w
SET words = leaf_marked_words(leaf_message_text(leaf_parts(m)), '@m', c.id, c.created_by) || leaf_agent_mark(c.id)
FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id
WHERE w.message_id = m.id AND m.role = 'assistant' AND leaf_narration(leaf_parts(m)) <> '{}';

-- Links show a chat as it was when it was shared. Their contents are not made anew: an answer that was written again
-- since would be published. A text goes where the answer of today has the same text as narration.
UPDATE chat_shares s SET content = cleaned.content
FROM (
    SELECT s.id, jsonb_agg(
        CASE WHEN narration.texts IS NULL THEN shown ELSE jsonb_set(shown, '{texts}', (
            SELECT coalesce(jsonb_agg(one ORDER BY at), '[]')
            FROM jsonb_array_elements(shown -> 'texts') WITH ORDINALITY AS element (one, at)
            WHERE one <> ALL (narration.texts)
        )) END
        ORDER BY place
    ) AS content
    FROM chat_shares s
    CROSS JOIN jsonb_array_elements(s.content) WITH ORDINALITY AS element (shown, place)
    LEFT JOIN LATERAL (
        SELECT array_agg(jsonb_build_object(
            'slot', at - 1, 'text', leaf_parts(m) -> (at - 1)::integer ->> 'text'
        )) AS texts
        FROM messages m CROSS JOIN unnest(leaf_narration(leaf_parts(m))) AS at
        WHERE m.id = ANY (s.message_ids) AND m.role = 'assistant' AND shown ->> 'role' = 'assistant'
            AND m.created_at = (shown ->> 'at')::timestamptz
    ) narration ON true
    GROUP BY s.id
    HAVING bool_or(narration.texts IS NOT NULL)
) cleaned
WHERE cleaned.id = s.id;
