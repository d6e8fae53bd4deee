-- The index of members' Drives: sight per person, content once per revision (decision 0070).

-- A feed is the Changes feed of a member (`drive_id` is empty) or of one of their Shared Drives. Each is listed once from
-- its beginning and then followed; the rows of a page and the next token are stored in one transaction.
CREATE TABLE drive_feeds (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    drive_id text NOT NULL DEFAULT '',
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name text NOT NULL DEFAULT '',
    stage text NOT NULL DEFAULT 'new'
        CONSTRAINT drive_feeds_stage_check CHECK (stage IN ('new', 'listing', 'following')),
    change_token text,
    page_token text,
    listing integer NOT NULL DEFAULT 0,
    listed_at timestamptz,
    checked_at timestamptz,
    retry_at timestamptz NOT NULL DEFAULT now(),
    failures integer NOT NULL DEFAULT 0,
    error text,
    claim integer NOT NULL DEFAULT 0,
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT drive_feeds_pkey PRIMARY KEY (user_id, drive_id)
);
CREATE INDEX drive_feeds_workspace_id_idx ON drive_feeds (workspace_id);

GRANT SELECT, INSERT, DELETE, UPDATE (
    name, stage, change_token, page_token, listing, listed_at, checked_at, retry_at, failures, error, claim,
    claimed_until, updated_at
) ON drive_feeds TO leaf_app;
ALTER TABLE drive_feeds ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_feeds_select ON drive_feeds FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY drive_feeds_insert ON drive_feeds FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY drive_feeds_no_visitor ON drive_feeds AS RESTRICTIVE FOR INSERT TO leaf_app
    WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY drive_feeds_update ON drive_feeds FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY drive_feeds_delete ON drive_feeds FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- The files and folders that a member's own token has shown. Nothing else says that a member may see a file.
CREATE TABLE drive_sight (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    file_id text NOT NULL,
    feed text NOT NULL DEFAULT '',
    listing integer NOT NULL DEFAULT 0,
    revision text NOT NULL,
    parent_id text,
    name text NOT NULL,
    mime_type text NOT NULL,
    kind text NOT NULL,
    url text NOT NULL,
    size_bytes bigint,
    modified_at timestamptz,
    can_download boolean NOT NULL,
    drive_id text,
    resource_key text,
    wanted_at timestamptz,
    seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT drive_sight_pkey PRIMARY KEY (user_id, file_id)
);
CREATE INDEX drive_sight_file_id_revision_idx ON drive_sight (file_id, revision);
CREATE INDEX drive_sight_user_id_parent_id_idx ON drive_sight (user_id, parent_id);

GRANT SELECT, INSERT, DELETE, UPDATE (
    feed, listing, revision, parent_id, name, mime_type, kind, url, size_bytes, modified_at, can_download, drive_id,
    resource_key, wanted_at, seen_at
) ON drive_sight TO leaf_app;
ALTER TABLE drive_sight ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_sight_select ON drive_sight FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY drive_sight_insert ON drive_sight FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY drive_sight_no_visitor ON drive_sight AS RESTRICTIVE FOR INSERT TO leaf_app
    WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY drive_sight_update ON drive_sight FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY drive_sight_delete ON drive_sight FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- The text of one revision of a file, stored once however many members see it. `reading` and `failed` texts are tried
-- again after `retry_at`; a `skipped` one has the reason. A `doubtful` one may have lost its last viewer.
CREATE TABLE drive_texts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    file_id text NOT NULL,
    revision text NOT NULL,
    state text NOT NULL DEFAULT 'reading'
        CONSTRAINT drive_texts_state_check CHECK (state IN ('reading', 'read', 'failed', 'skipped')),
    attempts integer NOT NULL DEFAULT 1,
    retry_at timestamptz,
    reason jsonb,
    mime_type text NOT NULL,
    kind text NOT NULL,
    body jsonb,
    digest bytea,
    language text,
    chunks integer NOT NULL DEFAULT 0,
    doubtful boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT drive_texts_file_id_revision_key UNIQUE (file_id, revision)
);
CREATE INDEX drive_texts_doubtful_idx ON drive_texts (id) WHERE doubtful;

GRANT SELECT, INSERT, UPDATE (
    state, attempts, retry_at, reason, mime_type, kind, body, digest, language, chunks, updated_at
) ON drive_texts TO leaf_app;
ALTER TABLE drive_texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY drive_texts_select ON drive_texts FOR SELECT TO leaf_app USING (EXISTS (
    SELECT FROM drive_sight s WHERE s.user_id = (SELECT leaf_user_id())
        AND s.file_id = drive_texts.file_id AND s.revision = drive_texts.revision AND s.can_download
));
CREATE POLICY drive_texts_insert ON drive_texts FOR INSERT TO leaf_app WITH CHECK (EXISTS (
    SELECT FROM drive_sight s WHERE s.user_id = (SELECT leaf_user_id())
        AND s.file_id = drive_texts.file_id AND s.revision = drive_texts.revision AND s.can_download
));
CREATE POLICY drive_texts_update ON drive_texts FOR UPDATE TO leaf_app USING (EXISTS (
    SELECT FROM drive_sight s WHERE s.user_id = (SELECT leaf_user_id())
        AND s.file_id = drive_texts.file_id AND s.revision = drive_texts.revision AND s.can_download
));

CREATE TABLE drive_chunks (
    text_id uuid NOT NULL REFERENCES drive_texts (id) ON DELETE CASCADE,
    n integer NOT NULL,
    place text NOT NULL,
    heading text NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    CONSTRAINT drive_chunks_pkey PRIMARY KEY (text_id, n)
);
CREATE INDEX drive_chunks_words_idx ON drive_chunks USING gin (words);

GRANT SELECT, INSERT, DELETE ON drive_chunks TO leaf_app;
ALTER TABLE drive_chunks ENABLE ROW LEVEL SECURITY;
-- The policy of drive_texts applies within: a chunk is seen by those who see its text.
CREATE POLICY drive_chunks_select ON drive_chunks FOR SELECT TO leaf_app
    USING (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_chunks.text_id));
CREATE POLICY drive_chunks_insert ON drive_chunks FOR INSERT TO leaf_app
    WITH CHECK (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_chunks.text_id));
CREATE POLICY drive_chunks_delete ON drive_chunks FOR DELETE TO leaf_app
    USING (EXISTS (SELECT FROM drive_texts t WHERE t.id = drive_chunks.text_id));

-- The texts of files that somebody no longer sees are looked at by leaf_forget_drive_texts.
CREATE FUNCTION leaf_doubt_drive_texts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE drive_texts t SET doubtful = true FROM before o WHERE t.file_id = o.file_id AND NOT t.doubtful;
    ELSE
        UPDATE drive_texts t SET doubtful = true
            FROM before o JOIN after n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE t.file_id = o.file_id AND NOT t.doubtful
                AND (n.revision, n.can_download) IS DISTINCT FROM (o.revision, o.can_download);
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_drive_texts() FROM PUBLIC;
CREATE TRIGGER drive_sight_deleted AFTER DELETE ON drive_sight
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_drive_texts();
CREATE TRIGGER drive_sight_updated AFTER UPDATE ON drive_sight
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_doubt_drive_texts();

-- The text of an earlier revision stays until the present one is read.
CREATE FUNCTION leaf_doubt_earlier_texts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE drive_texts t SET doubtful = true WHERE t.file_id = NEW.file_id AND t.id <> NEW.id AND NOT t.doubtful;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_doubt_earlier_texts() FROM PUBLIC;
CREATE TRIGGER drive_texts_read AFTER UPDATE OF state ON drive_texts
    FOR EACH ROW WHEN (NEW.state IN ('read', 'skipped')) EXECUTE FUNCTION leaf_doubt_earlier_texts();

-- Deletes doubtful texts that nobody may see any more; returns how many were looked at.
CREATE FUNCTION leaf_forget_drive_texts(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    doubted uuid[];
BEGIN
    WITH looked_at AS (
        UPDATE drive_texts t SET doubtful = false WHERE t.id IN (
            SELECT d.id FROM drive_texts d WHERE d.doubtful LIMIT most FOR UPDATE SKIP LOCKED
        ) RETURNING t.id
    )
    SELECT array_agg(l.id) INTO doubted FROM looked_at l;
    DELETE FROM drive_texts t WHERE t.id = ANY (doubted) AND NOT EXISTS (
        SELECT FROM drive_sight s WHERE s.file_id = t.file_id AND s.can_download AND (
            s.revision = t.revision OR NOT EXISTS (
                SELECT FROM drive_texts n
                WHERE n.file_id = s.file_id AND n.revision = s.revision AND n.state IN ('read', 'skipped')
            )
        )
    );
    RETURN coalesce(cardinality(doubted), 0);
END
$$;

-- The language of a text: the one of which it has the most stop words; `simple` where no language has enough of them.
CREATE FUNCTION leaf_text_language(sample text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT CASE WHEN best.kept <= 0.85 * whole.kept THEN best.language ELSE 'simple' END
    FROM (
        SELECT sum(cardinality(w.positions)) AS kept FROM unnest(to_tsvector('simple', left(sample, 4000))) w
    ) whole, (
        SELECT l.language, coalesce(sum(cardinality(w.positions)), 0) AS kept
        FROM unnest(ARRAY[
            'english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'danish', 'swedish',
            'norwegian', 'finnish', 'hungarian', 'russian', 'turkish'
        ]) WITH ORDINALITY AS l (language, place)
        LEFT JOIN LATERAL unnest(to_tsvector(l.language::regconfig, left(sample, 4000))) w ON true
        GROUP BY l.language, l.place ORDER BY 2, l.place LIMIT 1
    ) best
$$;

-- The words of a chunk: their stems in the language of the text, and as they are written. Stop words are left out.
CREATE FUNCTION leaf_chunk_words(language text, heading text, body text) RETURNS tsvector
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT setweight(to_tsvector(language::regconfig, heading) || to_tsvector('simple', heading), 'A')
        || to_tsvector(language::regconfig, body)
        || CASE WHEN language = 'simple' THEN '' ELSE ts_delete(
            to_tsvector('simple', body), ARRAY(
                SELECT w.lexeme FROM unnest(to_tsvector('simple', body)) w
                WHERE ts_lexize((language || '_stem')::regdictionary, w.lexeme) = '{}'
            )
        ) END
$$;

-- A word of a question in whatever language the texts are written.
CREATE FUNCTION leaf_word_query(word text) RETURNS tsquery
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made tsquery := plainto_tsquery('simple', word);
    language text;
BEGIN
    FOREACH language IN ARRAY ARRAY[
        'english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'danish', 'swedish', 'norwegian',
        'finnish', 'hungarian', 'russian', 'turkish'
    ] LOOP
        made := made || plainto_tsquery(language::regconfig, word);
    END LOOP;
    RETURN made;
END
$$;

-- A new revision with the text of an earlier one: Google counts up the version of a Doc for other reasons as well. The
-- stored text then becomes that of the new revision, with its chunks.
CREATE FUNCTION leaf_keep_drive_text(file text, fresh_revision text, fresh_digest bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    kept uuid;
BEGIN
    IF NOT EXISTS (
        SELECT FROM drive_sight s WHERE s.user_id = leaf_user_id()
            AND s.file_id = file AND s.revision = fresh_revision AND s.can_download
    ) THEN
        RETURN false;
    END IF;
    SELECT t.id INTO kept FROM drive_texts t
        WHERE t.file_id = file AND t.revision <> fresh_revision AND t.state = 'read' AND t.digest = fresh_digest
        ORDER BY t.updated_at DESC LIMIT 1 FOR UPDATE;
    IF kept IS NULL THEN
        RETURN false;
    END IF;
    DELETE FROM drive_texts t WHERE t.file_id = file AND t.revision = fresh_revision;
    UPDATE drive_texts t SET revision = fresh_revision, updated_at = now() WHERE t.id = kept;
    RETURN true;
END
$$;

-- Feeds for connected members without one, such as those who connected before there was an index.
CREATE FUNCTION leaf_open_drive_feeds() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made bigint;
BEGIN
    INSERT INTO drive_feeds (user_id, workspace_id)
        SELECT DISTINCT ON (i.user_id) i.user_id, i.workspace_id FROM integrations i
        WHERE i.provider = 'google_drive' AND i.status = 'active'
            AND NOT EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = i.user_id AND f.drive_id = '')
        ORDER BY i.user_id, i.created_at
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN made;
END
$$;

-- Feeds to be read on, those of members first who are present.
CREATE FUNCTION leaf_due_drive_feeds(present interval, absent interval, again interval, most integer)
RETURNS TABLE (user_id uuid, drive_id text, workspace_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT f.user_id, f.drive_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM sessions s WHERE s.user_id = f.user_id AND s.last_seen_at > now() - interval '10 minutes'
        ) AS here
    ) p
    WHERE f.retry_at <= now() AND (f.claimed_until IS NULL OR f.claimed_until <= now()) AND (
        f.stage <> 'following' OR f.checked_at IS NULL OR f.listed_at <= now() - again
        OR f.checked_at <= now() - CASE WHEN p.here THEN present ELSE absent END
    )
    ORDER BY f.stage = 'following', NOT p.here, f.checked_at NULLS FIRST
    LIMIT most
$$;

-- Members whose Drives hold files that wait to be read.
CREATE FUNCTION leaf_unread_drives(most integer) RETURNS TABLE (user_id uuid, workspace_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT f.user_id, f.workspace_id
    FROM drive_feeds f
    JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
        AND i.provider = 'google_drive' AND i.status = 'active'
    WHERE f.drive_id = '' AND f.failures = 0 AND EXISTS (
        SELECT FROM drive_sight s
        LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
        WHERE s.user_id = f.user_id AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
            AND (t.id IS NULL OR t.state IN ('reading', 'failed') AND t.retry_at <= now())
    )
    ORDER BY random()
    LIMIT most
$$;

REVOKE ALL ON FUNCTION
    leaf_forget_drive_texts(integer),
    leaf_text_language(text),
    leaf_chunk_words(text, text, text),
    leaf_word_query(text),
    leaf_keep_drive_text(text, text, bytea),
    leaf_open_drive_feeds(),
    leaf_due_drive_feeds(interval, interval, interval, integer),
    leaf_unread_drives(integer)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_forget_drive_texts(integer),
    leaf_text_language(text),
    leaf_chunk_words(text, text, text),
    leaf_word_query(text),
    leaf_keep_drive_text(text, text, bytea),
    leaf_open_drive_feeds(),
    leaf_due_drive_feeds(interval, interval, interval, integer),
    leaf_unread_drives(integer)
TO leaf_app;

-- As before; the search in the index counts as a use of Drive as well.
CREATE OR REPLACE FUNCTION leaf_chat_activity() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    grown bigint := pg_column_size(NEW.parts) + coalesce(pg_column_size(NEW.model_messages), 0);
BEGIN
    IF NEW.cold THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        UPDATE chat_sessions c SET
            updated_at = now(),
            content_bytes = c.content_bytes + grown,
            title = coalesce(
                c.title,
                CASE WHEN NEW.role = 'user' THEN
                    nullif(left(trim(regexp_replace(NEW.parts -> 0 ->> 'text', '\s+', ' ', 'g')), 80), '')
                END
            )
            WHERE c.id = NEW.chat_session_id;
    ELSE
        IF NOT OLD.cold THEN
            grown := grown - pg_column_size(OLD.parts) - coalesce(pg_column_size(OLD.model_messages), 0);
        ELSE
            grown := 0;
        END IF;
        UPDATE chat_sessions c SET
            updated_at = now(),
            content_bytes = greatest(0, c.content_bytes + grown),
            used_drive = c.used_drive OR jsonb_path_exists(
                NEW.parts,
                '$[*].type ? (@ == "tool-list_drive_folder" || @ == "tool-read_drive_file" || @ == "tool-search_drive"
                    || @ == "tool-search_files")'
            )
            WHERE c.id = NEW.chat_session_id;
    END IF;
    RETURN NULL;
END
$$;
