-- The search by words with one look at the index for each word (decision 0079): the passages of a word were read to
-- count them, again to find them, and a third time to weigh them.

DROP FUNCTION leaf_word_matches(uuid[], tsquery, integer);

-- The passages of texts that fit each of several queries, up to a number of them for each (null: all). A passage is the
-- place of its text among `texts` and its number in one integer, which is compared faster than both. The settings leave
-- one plan: with a LIMIT the others look cheap, and unpack the words of every passage.
CREATE FUNCTION leaf_word_matches(texts uuid[], queries tsquery[], most integer)
RETURNS TABLE (place integer, passage bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET jit = off SET enable_seqscan = off SET enable_indexscan = off SET enable_nestloop = off SET enable_mergejoin = off
AS $$
BEGIN
    RETURN QUERY
        SELECT q.place::integer, m.passage FROM unnest(queries) WITH ORDINALITY AS q (query, place)
        CROSS JOIN LATERAL (
            -- A subquery has the texts counted as few, so that they are what is kept for all queries.
            SELECT t.place << 32 | c.n AS passage
            FROM drive_chunks c JOIN unnest((SELECT texts)) WITH ORDINALITY AS t (id, place) ON t.id = c.text_id
            WHERE c.words @@ q.query LIMIT most
        ) AS m
        WHERE q.query IS NOT NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_matches(uuid[], tsquery[], integer) FROM PUBLIC;

-- As in 0054.
CREATE OR REPLACE FUNCTION leaf_word_hits(words text[], files text[], budget integer, most integer)
RETURNS TABLE (text_id uuid, n integer, places integer[], weights float8[], rank float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off
AS $$
DECLARE
    seen uuid[] := leaf_texts_in_sight(leaf_user_id(), files);
    queries tsquery[] := ARRAY(
        SELECT leaf_word_query(w.word) FROM unnest(words) WITH ORDINALITY AS w (word, place) ORDER BY w.place
    );
    -- Each word with each of its passages; of a word with more than `budget`, some of them.
    matching integer[];
    matches bigint[];
    counts integer[];
    chosen integer[];
    wanted tsquery;
    -- The words that each passage found holds because it was found by all of them.
    common integer[] := '{}';
    found bigint[];
    kept integer := cardinality(queries);
BEGIN
    SELECT array_agg(m.place), array_agg(m.passage) INTO matching, matches
        FROM leaf_word_matches(seen, queries, budget + 1) m;
    counts := ARRAY(
        SELECT count(m.place)::integer FROM generate_subscripts(queries, 1) AS i
        LEFT JOIN unnest(matching) AS m (place) ON m.place = i GROUP BY i ORDER BY i
    );
    chosen := ARRAY(
        SELECT c.i FROM (
            SELECT i, sum(counts[i]) OVER (ORDER BY counts[i], i) AS passages
            FROM generate_subscripts(counts, 1) AS i WHERE counts[i] BETWEEN 1 AND budget
        ) c WHERE c.passages <= budget
    );
    SELECT string_agg('(' || queries[i]::text || ')', ' | ')::tsquery INTO wanted FROM unnest(chosen) AS i;
    IF wanted IS NOT NULL THEN
        found := ARRAY(
            SELECT DISTINCT m.passage FROM unnest(matching, matches) AS m (place, passage) WHERE m.place = ANY (chosen)
        );
    ELSE
        WHILE kept > 0 LOOP
            SELECT array_agg(i), string_agg('(' || queries[i]::text || ')', ' & ')::tsquery INTO common, wanted
                FROM generate_series(1, kept) AS i WHERE counts[i] > budget;
            IF wanted IS NULL THEN
                RETURN;
            END IF;
            found := ARRAY(SELECT m.passage FROM leaf_word_matches(seen, ARRAY[wanted], budget) m);
            EXIT WHEN kept = 1 OR cardinality(found) >= most;
            kept := kept - 1;
        END LOOP;
    END IF;
    RETURN QUERY
        WITH held AS MATERIALIZED (
            SELECT f.passage, w.place FROM unnest(found) AS f (passage) CROSS JOIN unnest(common) AS w (place)
            UNION ALL
            SELECT f.passage, m.place
            FROM (
                SELECT m.place, m.passage FROM unnest(matching, matches) AS m (place, passage)
                WHERE counts[m.place] <= budget
                UNION ALL
                SELECT m.place, m.passage FROM leaf_word_matches(seen, ARRAY(
                    SELECT CASE WHEN counts[i] > budget AND i <> ALL (common) THEN wanted && queries[i] END
                    FROM generate_subscripts(queries, 1) AS i ORDER BY i
                ), NULL) AS m
            ) AS m
            JOIN unnest(found) AS f (passage) ON f.passage = m.passage
        ), rarity AS MATERIALIZED (
            SELECT h.place, ln(1 + cardinality(found)::float8 / greatest(count(*), counts[h.place])) AS weight
            FROM held h GROUP BY h.place
        ), best AS MATERIALIZED (
            SELECT seen[h.passage >> 32] AS text_id, (h.passage & 4294967295)::integer AS n,
                array_agg(h.place) AS held_places
            FROM held h JOIN rarity r ON r.place = h.place
            GROUP BY h.passage ORDER BY sum(r.weight) DESC, 1, 2 LIMIT 2 * most
        ), unpacked AS MATERIALIZED (
            -- Each access to a stored value would unpack it again.
            SELECT b.*, c.words || ''::tsvector AS lexemes
            FROM best b JOIN drive_chunks c ON c.text_id = b.text_id AND c.n = b.n
        ), ranked AS MATERIALIZED (
            SELECT u.text_id, u.n, r.place, r.weight, ts_rank(u.lexemes, queries[r.place], 1) AS rank
            FROM unpacked u JOIN rarity r ON r.place = ANY (u.held_places)
        )
        SELECT k.text_id, k.n, array_agg(k.place), array_agg(k.weight), sum(k.rank * k.weight)
        FROM ranked k GROUP BY k.text_id, k.n
        ORDER BY sum(k.weight * (1 + k.rank)) DESC, k.text_id, k.n LIMIT most;
END
$$;
