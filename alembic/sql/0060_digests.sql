-- The news of a watched question that its member was sent by e-mail: the `news_at` of that time (decision 0087).
ALTER TABLE watches ADD COLUMN mailed_at timestamptz;
CREATE INDEX watches_unmailed_idx ON watches (user_id)
    WHERE news_at IS NOT NULL AND mailed_at IS DISTINCT FROM news_at;
GRANT UPDATE (mailed_at) ON watches TO leaf_app;

-- The daily e-mail about a member's watched questions; a member without a row has the defaults.
CREATE TABLE digests (
    user_id uuid NOT NULL CONSTRAINT digests_pkey PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    wanted boolean NOT NULL DEFAULT true,
    language text NOT NULL DEFAULT 'en',
    next_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT digests_language_check CHECK (language ~ '^[a-z]{2}$')
);
GRANT SELECT, INSERT, UPDATE (wanted, language, next_at) ON digests TO leaf_app;
ALTER TABLE digests ENABLE ROW LEVEL SECURITY;
CREATE POLICY digests_select ON digests FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY digests_insert ON digests FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY digests_no_visitor ON digests AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY digests_update ON digests FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));

-- Members with news for an e-mail, of which the first has waited for others a while.
CREATE FUNCTION leaf_due_digests(most integer, waited interval) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.user_id, (array_agg(w.workspace_id))[1]
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN digests d ON d.user_id = w.user_id
    WHERE w.news_at IS NOT NULL AND w.mailed_at IS DISTINCT FROM w.news_at AND w.news_at > p.read_at
        AND d.wanted IS NOT FALSE AND (d.next_at IS NULL OR d.next_at <= now())
    GROUP BY w.user_id
    HAVING min(w.news_at) <= now() - waited
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_digests(most integer, waited interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_due_digests(most integer, waited interval) TO leaf_app;
