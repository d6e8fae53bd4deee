-- Links have the formula of a computed figure in each language.
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
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$$;
