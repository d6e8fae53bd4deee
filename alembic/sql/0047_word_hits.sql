-- The search by words. PostgreSQL checks a policy before it uses the index of words, because `@@` could tell of rows that
-- the policy hides; so the function looks the words up itself, and gives only passages of files that the member sees.
CREATE OR REPLACE FUNCTION leaf_word_query(word text) RETURNS tsquery
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made tsquery := plainto_tsquery('simple', word);
    stemmed tsquery;
    language text;
BEGIN
    FOREACH language IN ARRAY ARRAY[
        'english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'danish', 'swedish', 'norwegian',
        'finnish', 'hungarian', 'russian', 'turkish'
    ] LOOP
        stemmed := plainto_tsquery(language::regconfig, word);
        IF NOT made @> stemmed THEN
            made := made || stemmed;
        END IF;
    END LOOP;
    RETURN made;
END
$$;

-- The passages that the member sees and that hold the words, those with the rarest words first. A word that more than
-- `budget` passages hold finds none by itself: it counts in those that rarer words find. Where all words are so frequent,
-- the passages hold all of them, or as many of the first ones as leave `most` passages.
CREATE FUNCTION leaf_word_hits(words text[], files text[], budget integer, most integer)
RETURNS TABLE (text_id uuid, n integer, places integer[], weights double precision[], rank double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    person uuid := leaf_user_id();
    queries tsquery[] := ARRAY(
        SELECT leaf_word_query(w.word) FROM unnest(words) WITH ORDINALITY AS w (word, place) ORDER BY w.place
    );
    counts integer[] := '{}';
    wanted tsquery;
    passages integer := 0;
    place integer;
    kept integer;
BEGIN
    FOR place IN 1 .. coalesce(cardinality(queries), 0) LOOP
        counts := counts || leaf_count_words(person, queries[place], files, budget + 1);
    END LOOP;
    FOR place IN
        SELECT i FROM generate_subscripts(counts, 1) AS i WHERE counts[i] BETWEEN 1 AND budget ORDER BY counts[i]
    LOOP
        EXIT WHEN passages + counts[place] > budget;
        passages := passages + counts[place];
        wanted := CASE WHEN wanted IS NULL THEN queries[place] ELSE wanted || queries[place] END;
    END LOOP;
    kept := cardinality(queries);
    WHILE wanted IS NULL AND kept > 0 LOOP
        SELECT CASE WHEN count(*) > 0 THEN string_agg('(' || queries[i]::text || ')', ' & ')::tsquery END INTO wanted
        FROM generate_series(1, kept) AS i WHERE counts[i] > budget;
        IF wanted IS NULL OR kept = 1 OR leaf_count_words(person, wanted, files, most) = most THEN
            EXIT;
        END IF;
        wanted := NULL;
        kept := kept - 1;
    END LOOP;
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT c.text_id, c.n, c.words AS lexemes
            FROM drive_chunks c
            JOIN drive_texts t ON t.id = c.text_id AND t.state = 'read'
            JOIN drive_sight s ON s.user_id = person AND s.file_id = t.file_id AND s.revision = t.revision
            WHERE c.words @@ wanted AND s.can_download AND (files IS NULL OR s.file_id = ANY (files))
            LIMIT budget
        ), held AS MATERIALIZED (
            SELECT f.*, ARRAY(SELECT i FROM generate_subscripts(queries, 1) AS i WHERE f.lexemes @@ queries[i]) AS held_places
            FROM found f
        ), rarity AS MATERIALIZED (
            SELECT p.place, ln(1 + (SELECT count(*) FROM held)::float8 / greatest(count(*), counts[p.place])) AS weight
            FROM held h CROSS JOIN unnest(h.held_places) AS p (place) GROUP BY p.place
        ), best AS MATERIALIZED (
            SELECT h.*, (SELECT sum(r.weight) FROM rarity r WHERE r.place = ANY (h.held_places)) AS total
            FROM held h ORDER BY total DESC, h.text_id, h.n LIMIT 2 * most
        ), ranked AS MATERIALIZED (
            SELECT b.text_id, b.n, r.place, r.weight, ts_rank(b.lexemes, queries[r.place], 1) AS rank
            FROM best b JOIN rarity r ON r.place = ANY (b.held_places)
        )
        SELECT k.text_id, k.n, array_agg(k.place), array_agg(k.weight), sum(k.rank * k.weight)
        FROM ranked k GROUP BY k.text_id, k.n
        ORDER BY sum(k.weight * (1 + k.rank)) DESC, k.text_id, k.n LIMIT most;
END
$$;
REVOKE ALL ON FUNCTION leaf_word_hits(text[], text[], integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_word_hits(text[], text[], integer, integer) TO leaf_app;

-- The number of passages that a member sees and that match, counted up to a limit. Only `leaf_word_hits` may ask.
CREATE FUNCTION leaf_count_words(person uuid, query tsquery, files text[], most integer) RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
    RETURN (
        SELECT count(*) FROM (
            SELECT FROM drive_chunks c
            JOIN drive_texts t ON t.id = c.text_id AND t.state = 'read'
            JOIN drive_sight s ON s.user_id = person AND s.file_id = t.file_id AND s.revision = t.revision
            WHERE c.words @@ query AND s.can_download AND (files IS NULL OR s.file_id = ANY (files))
            LIMIT most
        ) AS one
    );
END
$$;
REVOKE ALL ON FUNCTION leaf_count_words(uuid, tsquery, text[], integer) FROM PUBLIC;
