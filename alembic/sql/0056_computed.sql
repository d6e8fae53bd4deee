-- The citations of a link name every file that a figure was computed from.
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
                    'at', one -> 'at', 'kind', one ->> 'kind', 'file_id', one ->> 'file_id',
                    'files', one -> 'files'
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
