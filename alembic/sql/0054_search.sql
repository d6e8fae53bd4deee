-- The search by words, without unpacking the words of thousands of passages: the index says which passage holds which
-- word, and only those that are ranked are unpacked (decision 0079).

-- The texts that a member may search, of all files or of some.
CREATE FUNCTION leaf_texts_in_sight(person uuid, files text[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
    RETURN ARRAY(
        SELECT t.id FROM drive_sight s
        JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision AND t.state = 'read'
        WHERE s.user_id = person AND s.can_download AND (files IS NULL OR s.file_id = ANY (files))
    );
END
$$;
REVOKE ALL ON FUNCTION leaf_texts_in_sight(uuid, text[]) FROM PUBLIC;

-- Passages of texts that fit a query, up to a number of them (null: all).
CREATE FUNCTION leaf_word_matches(texts uuid[], query tsquery, most integer) RETURNS TABLE (text_id uuid, n integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT c.text_id, c.n FROM drive_chunks c JOIN unnest(texts) AS t (id) ON t.id = c.text_id
        WHERE c.words @@ query LIMIT most;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_matches(uuid[], tsquery, integer) FROM PUBLIC;

-- As in 0047: the passages that hold words of a question best, with the places of these words among `words`, their
-- weights, and PostgreSQL's rank. Words are taken from the rarest on until they come to `budget` passages; where all are
-- more frequent, passages that hold all of them, then all but the last, and so on.
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
    counts integer[] := '{}';
    wanted tsquery;
    passages integer := 0;
    chosen integer[] := '{}';
    -- The words that each passage found holds because it was found by all of them.
    common integer[] := '{}';
    found_texts uuid[];
    found_numbers integer[];
    place integer;
    kept integer;
BEGIN
    FOR place IN 1 .. coalesce(cardinality(queries), 0) LOOP
        counts := counts || (SELECT count(*)::integer FROM leaf_word_matches(seen, queries[place], budget + 1));
    END LOOP;
    FOR place IN
        SELECT i FROM generate_subscripts(counts, 1) AS i WHERE counts[i] BETWEEN 1 AND budget ORDER BY counts[i]
    LOOP
        EXIT WHEN passages + counts[place] > budget;
        passages := passages + counts[place];
        chosen := chosen || place;
        wanted := CASE WHEN wanted IS NULL THEN queries[place] ELSE wanted || queries[place] END;
    END LOOP;
    kept := cardinality(queries);
    WHILE wanted IS NULL AND kept > 0 LOOP
        SELECT array_agg(i), string_agg('(' || queries[i]::text || ')', ' & ')::tsquery INTO common, wanted
            FROM generate_series(1, kept) AS i WHERE counts[i] > budget;
        IF wanted IS NULL OR kept = 1
            OR (SELECT count(*) FROM leaf_word_matches(seen, wanted, most)) = most THEN
            EXIT;
        END IF;
        wanted := NULL;
        kept := kept - 1;
    END LOOP;
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    SELECT array_agg(m.text_id), array_agg(m.n) INTO found_texts, found_numbers
        FROM leaf_word_matches(seen, wanted, budget) m;
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT f.text_id, f.n FROM unnest(found_texts, found_numbers) AS f (text_id, n)
        ), held AS MATERIALIZED (
            SELECT f.text_id, f.n, w.place FROM found f CROSS JOIN unnest(common) AS w (place)
            UNION ALL
            SELECT f.text_id, f.n, w.place
            FROM generate_subscripts(queries, 1) AS w (place)
            CROSS JOIN leaf_word_matches(
                CASE WHEN counts[w.place] > 0 AND w.place <> ALL (common) THEN seen END,
                CASE WHEN w.place = ANY (chosen) THEN queries[w.place] ELSE wanted && queries[w.place] END, NULL
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
DROP FUNCTION leaf_count_words(uuid, tsquery, text[], integer);
