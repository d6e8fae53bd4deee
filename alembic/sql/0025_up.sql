-- Keys with which a person's programs call Leaf. Only a key's hash is kept; what a key may is fixed when it is made.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL CONSTRAINT api_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    hint text NOT NULL CONSTRAINT api_keys_hint_check CHECK (char_length(hint) <= 20),
    token_hash text NOT NULL UNIQUE,
    scopes text[] NOT NULL CONSTRAINT api_keys_scopes_check CHECK (
        scopes <@ ARRAY['read', 'write', 'drive'] AND cardinality(scopes) BETWEEN 1 AND 3
    ),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz
);
CREATE INDEX api_keys_user_id_idx ON api_keys (user_id);

-- Nothing of a key is ever changed: who wants another one makes it.
GRANT SELECT, INSERT, DELETE ON api_keys TO leaf_app;

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY api_keys_select ON api_keys FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY api_keys_insert ON api_keys FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY api_keys_delete ON api_keys FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- Whose a key is, and what it may; nothing where it has ended.
CREATE FUNCTION leaf_api_key(token_hash text) RETURNS TABLE (
    key_id uuid, user_id uuid, workspace_id uuid, scopes text[], last_used_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT k.id, k.user_id, w.workspace_id, k.scopes, k.last_used_at
    FROM api_keys k
    CROSS JOIN LATERAL (
        SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = k.user_id ORDER BY m.created_at LIMIT 1
    ) w
    WHERE k.token_hash = leaf_api_key.token_hash AND (k.expires_at IS NULL OR k.expires_at > now())
$$;

-- Marks a key as used.
CREATE FUNCTION leaf_touch_api_key(token_hash text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE api_keys k SET last_used_at = now() WHERE k.token_hash = leaf_touch_api_key.token_hash
$$;

REVOKE ALL ON FUNCTION leaf_api_key(text), leaf_touch_api_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_api_key(text), leaf_touch_api_key(text) TO leaf_app;
