-- The signs of the numbers of each vector, 64 bytes beside its 1,024, within the index of the primary key (decision
-- 0089). `{vectors}` is the schema of the extension `vector`.

ALTER TABLE drive_vectors
    ADD COLUMN bits bit(512) NOT NULL GENERATED ALWAYS AS ({vectors}.binary_quantize(vector)::bit(512)) STORED,
    DROP CONSTRAINT drive_vectors_pkey,
    ADD CONSTRAINT drive_vectors_pkey PRIMARY KEY (text_id, n) INCLUDE (model, bits);

-- As in 0048, but exactly compared are only the passages whose signs differ least.
CREATE OR REPLACE FUNCTION leaf_vector_hits(wanted text[], made_by text, files text[], most integer)
RETURNS TABLE (text_id uuid, n integer, likeness double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off
AS $$
DECLARE
    seen uuid[] := leaf_texts_in_sight(leaf_user_id(), files);
    first {vectors}.halfvec := wanted[1];
    second {vectors}.halfvec := wanted[2];
    third {vectors}.halfvec := wanted[3];
    fourth {vectors}.halfvec := wanted[4];
    first_bits bit(512) := {vectors}.binary_quantize(first);
    second_bits bit(512) := {vectors}.binary_quantize(second);
    third_bits bit(512) := {vectors}.binary_quantize(third);
    fourth_bits bit(512) := {vectors}.binary_quantize(fourth);
BEGIN
    RETURN QUERY
        WITH near AS MATERIALIZED (
            SELECT v.text_id, v.n FROM unnest(seen) AS t (id)
            JOIN drive_vectors v ON v.text_id = t.id AND v.model = made_by
            ORDER BY least(
                v.bits OPERATOR({vectors}.<~>) first_bits, v.bits OPERATOR({vectors}.<~>) second_bits,
                v.bits OPERATOR({vectors}.<~>) third_bits, v.bits OPERATOR({vectors}.<~>) fourth_bits
            ), v.text_id, v.n LIMIT 10 * most
        )
        SELECT v.text_id, v.n, 1 - least(
            v.vector OPERATOR({vectors}.<=>) first, v.vector OPERATOR({vectors}.<=>) second,
            v.vector OPERATOR({vectors}.<=>) third, v.vector OPERATOR({vectors}.<=>) fourth
        ) AS likeness
        FROM near JOIN drive_vectors v ON v.text_id = near.text_id AND v.n = near.n
        ORDER BY likeness DESC, v.text_id, v.n LIMIT most;
END
$$;
