-- The search by words with one look at the index for each word (decision 0079): the passages of a word were read to
-- count them, again to find them, and a third time to weigh them.

DROP FUNCTION leaf_word_matches(uuid[], tsquery, integer);

-- The passages of texts that fit each of several queries, up to a number of them for each (null: all). The settings
-- leave one plan: with a LIMIT the others look cheap, and unpack the words of every passage.
CREATE FUNCTION leaf_word_matches(texts uuid[], queries tsquery[], most integer)
RETURNS TABLE (place integer, text_id uuid, n integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET jit = off SET enable_seqscan = off SET enable_indexscan = off SET enable_nestloop = off SET enable_mergejoin = off
AS $$
BEGIN
    RETURN QUERY
        SELECT q.place::integer, m.text_id, m.n FROM unnest(queries) WITH ORDINALITY AS q (query, place)
        CROSS JOIN LATERAL (
            -- A subquery has the texts counted as few, so that they are what is kept for all queries.
            SELECT c.text_id, c.n FROM drive_chunks c JOIN unnest((SELECT texts)) AS t (id) ON t.id = c.text_id
            WHERE c.words @@ q.query LIMIT most
        ) AS m;
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
    -- The passages of each word, and their numbers; of a word with more than `budget`, some of them.
    matches_places integer[];
    matches_texts uuid[];
    matches_numbers integer[];
    counts integer[];
    chosen integer[];
    wanted tsquery;
    -- The words that each passage found holds because it was found by all of them.
    common integer[] := '{}';
    found_texts uuid[];
    found_numbers integer[];
    kept integer := cardinality(queries);
BEGIN
    SELECT array_agg(m.place), array_agg(m.text_id), array_agg(m.n)
        INTO matches_places, matches_texts, matches_numbers
        FROM leaf_word_matches(seen, queries, budget + 1) m;
    counts := ARRAY(
        SELECT count(m.place)::integer FROM generate_subscripts(queries, 1) AS i
        LEFT JOIN unnest(matches_places) AS m (place) ON m.place = i GROUP BY i ORDER BY i
    );
    chosen := ARRAY(
        SELECT c.i FROM (
            SELECT i, sum(counts[i]) OVER (ORDER BY counts[i], i) AS passages
            FROM generate_subscripts(counts, 1) AS i WHERE counts[i] BETWEEN 1 AND budget
        ) c WHERE c.passages <= budget
    );
    SELECT string_agg('(' || queries[i]::text || ')', ' | ')::tsquery INTO wanted FROM unnest(chosen) AS i;
    IF wanted IS NOT NULL THEN
        SELECT array_agg(f.text_id), array_agg(f.n) INTO found_texts, found_numbers FROM (
            SELECT DISTINCT m.text_id, m.n FROM unnest(matches_places, matches_texts, matches_numbers) AS m (place, text_id, n)
            WHERE m.place = ANY (chosen)
        ) f;
    ELSE
        WHILE kept > 0 LOOP
            SELECT array_agg(i), string_agg('(' || queries[i]::text || ')', ' & ')::tsquery INTO common, wanted
                FROM generate_series(1, kept) AS i WHERE counts[i] > budget;
            IF wanted IS NULL THEN
                RETURN;
            END IF;
            SELECT array_agg(m.text_id), array_agg(m.n) INTO found_texts, found_numbers
                FROM leaf_word_matches(seen, ARRAY[wanted], budget) m;
            EXIT WHEN kept = 1 OR cardinality(found_texts) >= most;
            kept := kept - 1;
        END LOOP;
    END IF;
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT f.text_id, f.n FROM unnest(found_texts, found_numbers) AS f (text_id, n)
        ), held AS MATERIALIZED (
            SELECT f.text_id, f.n, w.place FROM found f CROSS JOIN unnest(common) AS w (place)
            UNION ALL
            SELECT f.text_id, f.n, m.place
            FROM (
                SELECT m.* FROM unnest(matches_places, matches_texts, matches_numbers) AS m (place, text_id, n)
                WHERE counts[m.place] <= budget
                UNION ALL
                SELECT m.* FROM leaf_word_matches(seen, ARRAY(
                    SELECT CASE WHEN counts[i] > budget AND i <> ALL (common) THEN wanted && queries[i] END
                    FROM generate_subscripts(queries, 1) AS i ORDER BY i
                ), NULL) AS m
            ) AS m
            JOIN found f ON f.text_id = m.text_id AND f.n = m.n
        ), rarity AS MATERIALIZED (
            SELECT h.place, ln(1 + cardinality(found_texts)::float8 / greatest(count(*), counts[h.place])) AS weight
            FROM held h GROUP BY h.place
        ), best AS MATERIALIZED (
            SELECT h.text_id, h.n, array_agg(h.place) AS held_places
            FROM held h JOIN rarity r ON r.place = h.place
            GROUP BY h.text_id, h.n ORDER BY sum(r.weight) DESC, h.text_id, h.n LIMIT 2 * most
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
