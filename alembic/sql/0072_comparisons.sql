-- Links show what an answer has compared, with the files by which Google is asked; quotes of earlier versions of a file are
-- not followed, because they never stand in its present text.
CREATE FUNCTION leaf_shared_comparisons(parts jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce(
        jsonb_agg(jsonb_build_object(
            'on', one ->> 'on', 'same', one -> 'same', 'differences', one -> 'differences', 'notes', one -> 'notes',
            'compared', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object(
                        'file_id', file ->> 'file_id', 'name', file ->> 'name',
                        'url', leaf_web_address(file ->> 'url'), 'modified', file ->> 'modified',
                        'version', file ->> 'version', 'by', file ->> 'by'
                    )),
                    '[]'
                )
                FROM jsonb_path_query(one, '$.compared[*] ? (@.type() == "object")') file
            ),
            'rows', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object(
                        'kind', line ->> 'kind', 'about', line ->> 'about', 'table', line -> 'table',
                        'cells', line -> 'cells'
                    )),
                    '[]'
                )
                FROM jsonb_path_query(one, '$.rows[*] ? (@.cells.type() == "array")') line
            )
        )),
        '[]'
    )
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-comparisons").data[*] ? (@.compared.type() == "array")') one
$$;
REVOKE ALL ON FUNCTION leaf_shared_comparisons(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_shared_comparisons(jsonb) TO leaf_app;

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
    ) || (
        -- A link that was made before is no older than its chat: these fields are there only where there is something.
        SELECT coalesce(jsonb_object_agg(found.name, found.value), '{}') FROM (VALUES
            ('asked', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object('text', one ->> 'text', 'state', one ->> 'state')),
                    '[]'
                )
                FROM jsonb_path_query(
                    parts, '$[*] ? (@.type == "data-subquestions").data.asked[*] ? (@.text.type() == "string")'
                ) one
            )),
            ('conflicts', (
                SELECT coalesce(
                    jsonb_agg(jsonb_build_object('about', one ->> 'about', 'sides', (
                        SELECT coalesce(
                            jsonb_agg(jsonb_build_object(
                                'file_id', side ->> 'file_id', 'name', side ->> 'name',
                                'url', leaf_web_address(side ->> 'url'), 'part', side ->> 'part',
                                'quote', side ->> 'quote', 'value', side ->> 'value', 'date', side ->> 'date',
                                'newer', side -> 'newer'
                            )),
                            '[]'
                        )
                        FROM jsonb_path_query(one, '$.sides[*] ? (@.type() == "object")') side
                    ))),
                    '[]'
                )
                FROM jsonb_path_query(
                    parts, '$[*] ? (@.type == "data-conflicts").data[*] ? (@.sides.type() == "array")'
                ) one
            )),
            ('comparisons', leaf_shared_comparisons(parts))
        ) AS found (name, value) WHERE found.value <> '[]'
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$$;

CREATE OR REPLACE FUNCTION leaf_followed_quotes(parts jsonb) RETURNS TABLE(n integer, file_id text, revision text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT (one ->> 'n')::integer, one ->> 'file_id', coalesce(one ->> 'revision', '')
    FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "drive" && @.verified == true)') one
    WHERE one ->> 'n' ~ '^\d{1,6}$' AND one ->> 'file_id' <> ''
        AND coalesce(one ->> 'part', '') NOT LIKE 'version of %'
$$;
