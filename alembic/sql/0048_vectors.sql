-- Vectors of passages (decision 0075). `{vectors}` is the schema of the extension `vector`; without the extension none
-- of this is made, and the search goes by words alone.

CREATE TABLE drive_vectors (
    text_id uuid NOT NULL,
    n integer NOT NULL,
    model text NOT NULL,
    digest uuid NOT NULL,
    vector {vectors}.halfvec(512) NOT NULL,
    CONSTRAINT drive_vectors_pkey PRIMARY KEY (text_id, n),
    CONSTRAINT drive_vectors_text_id_fkey FOREIGN KEY (text_id, n) REFERENCES drive_chunks (text_id, n)
        ON DELETE CASCADE
);
CREATE INDEX drive_vectors_digest_idx ON drive_vectors (digest);

GRANT SELECT, INSERT, DELETE ON drive_vectors TO leaf_app;
ALTER TABLE drive_vectors ENABLE ROW LEVEL SECURITY;
-- The policy of drive_texts applies within: a vector is seen by those who see its text.
CREATE POLICY drive_vectors_select ON drive_vectors FOR SELECT TO leaf_app
    USING (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_vectors.text_id));
CREATE POLICY drive_vectors_insert ON drive_vectors FOR INSERT TO leaf_app
    WITH CHECK (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_vectors.text_id));
CREATE POLICY drive_vectors_delete ON drive_vectors FOR DELETE TO leaf_app
    USING (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_vectors.text_id));

-- Stores the vectors of passages of a text, in place of those of another model.
CREATE FUNCTION leaf_keep_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[], vectors text[])
RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp
AS $$
    DELETE FROM drive_vectors v WHERE v.text_id = wanted AND v.n = ANY (numbers);
    INSERT INTO drive_vectors (text_id, n, model, digest, vector)
        SELECT wanted, one.n, made_by, one.digest, one.vector::{vectors}.halfvec
        FROM unnest(numbers, digests, vectors) AS one (n, digest, vector)
        JOIN drive_chunks c ON c.text_id = wanted AND c.n = one.n
        -- A worker whose claim has run out may be at the same passages.
        ON CONFLICT (text_id, n) DO NOTHING;
$$;
REVOKE ALL ON FUNCTION leaf_keep_vectors(uuid, text, integer[], uuid[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_keep_vectors(uuid, text, integer[], uuid[], text[]) TO leaf_app;

-- Copies the vectors of equal passages, whoever sees them, to passages of a text that the member sees; returns the
-- numbers of the passages that have one now.
CREATE FUNCTION leaf_copy_vectors(wanted uuid, made_by text, numbers integer[], digests uuid[])
RETURNS SETOF integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO drive_vectors (text_id, n, model, digest, vector)
        SELECT wanted, one.n, made_by, one.digest, equal.vector
        FROM unnest(numbers, digests) AS one (n, digest)
        JOIN drive_chunks c ON c.text_id = wanted AND c.n = one.n
        CROSS JOIN LATERAL (
            SELECT v.vector FROM drive_vectors v WHERE v.digest = one.digest AND v.model = made_by LIMIT 1
        ) AS equal
        WHERE EXISTS (
            SELECT FROM drive_texts t
            JOIN drive_sight s ON s.user_id = leaf_user_id() AND s.file_id = t.file_id AND s.revision = t.revision
            WHERE t.id = wanted AND s.can_download
        )
    ON CONFLICT (text_id, n) DO UPDATE
        SET model = excluded.model, digest = excluded.digest, vector = excluded.vector
    RETURNING n
$$;
REVOKE ALL ON FUNCTION leaf_copy_vectors(uuid, text, integer[], uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_copy_vectors(uuid, text, integer[], uuid[]) TO leaf_app;

-- The passages in sight that are most like one of up to four vectors, with the cosine of the angle between them.
CREATE FUNCTION leaf_vector_hits(wanted text[], made_by text, files text[], most integer)
RETURNS TABLE (text_id uuid, n integer, likeness double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    person uuid := leaf_user_id();
    first {vectors}.halfvec := wanted[1];
    second {vectors}.halfvec := wanted[2];
    third {vectors}.halfvec := wanted[3];
    fourth {vectors}.halfvec := wanted[4];
BEGIN
    RETURN QUERY
        SELECT v.text_id, v.n, 1 - least(
            v.vector OPERATOR({vectors}.<=>) first, v.vector OPERATOR({vectors}.<=>) second,
            v.vector OPERATOR({vectors}.<=>) third, v.vector OPERATOR({vectors}.<=>) fourth
        ) AS likeness
        FROM drive_sight s
        JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision AND t.state = 'read'
        JOIN drive_vectors v ON v.text_id = t.id AND v.model = made_by
        WHERE s.user_id = person AND s.can_download AND (files IS NULL OR s.file_id = ANY (files))
        ORDER BY likeness DESC, v.text_id, v.n LIMIT most;
END
$$;
REVOKE ALL ON FUNCTION leaf_vector_hits(text[], text, text[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_vector_hits(text[], text, text[], integer) TO leaf_app;
