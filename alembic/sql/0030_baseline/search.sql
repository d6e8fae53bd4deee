-- Search through the titles and messages of chats.

-- The words of messages and titles; a title's row has no message. Beside the words stand marks, which cannot be words
-- because words have no punctuation: the chat's creator (@u…), the chat (@c…), the site's agent (@a…), and whether the
-- row is a title (@t) or a message (@m). With the marks, the index itself excludes the texts of other people: the time
-- of a search grows with the person's own chats, not with the number of people.
CREATE TABLE search_words (
    id uuid PRIMARY KEY,
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    message_id uuid UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    position bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE INDEX search_words_chat_session_id_position_idx ON search_words (chat_session_id, position DESC);
CREATE INDEX search_words_words_idx ON search_words USING gin (words) WITH (fastupdate = off);

GRANT SELECT ON search_words TO leaf_app;
ALTER TABLE search_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY search_words_select ON search_words FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));


-- Keeping the words

-- A text in the form in which it is searched: without capitals, accents and punctuation. Only words and blanks remain,
-- so PostgreSQL's parser recognises neither addresses nor file names in it.
CREATE FUNCTION leaf_search_words(written text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT regexp_replace(
        regexp_replace(lower(normalize(left(written, 100000), NFKD)), '[\u0300-\u036f]+', '', 'g'),
        '[\u0001-\u002f:-@\[-`{-\u00bf\u2000-\u206f\u3000-\u303f\ufe50-\ufe6f]+', ' ', 'g'
    )
$$;

-- The written texts of a message, without the inputs and outputs of its tools.
CREATE FUNCTION leaf_message_text(parts jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT string_agg(part ->> 'text', E'\n\n' ORDER BY place)
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS one (part, place)
    WHERE part ->> 'type' = 'text' AND part ->> 'text' <> ''
$$;

CREATE FUNCTION leaf_marked_words(written text, kind text, chat uuid, creator uuid) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT to_tsvector('simple', leaf_search_words(written))
        || array_to_tsvector(ARRAY[kind, '@u' || creator::text, '@c' || chat::text])
$$;

CREATE FUNCTION leaf_keep_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    written text := leaf_message_text(NEW.parts);
BEGIN
    IF written IS NULL THEN
        IF TG_OP = 'UPDATE' THEN
            DELETE FROM search_words w WHERE w.id = NEW.id;
        END IF;
        RETURN NULL;
    END IF;
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    SELECT NEW.id, c.id, NEW.id, NEW.position,
        leaf_marked_words(written, '@m', c.id, c.created_by) || leaf_agent_mark(c.id)
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_keep_words AFTER INSERT OR UPDATE OF parts ON messages
FOR EACH ROW EXECUTE FUNCTION leaf_keep_words();

CREATE FUNCTION leaf_keep_title_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO search_words (id, chat_session_id, message_id, position, words)
    VALUES (
        NEW.id, NEW.id, NULL, 0,
        leaf_marked_words(coalesce(NEW.title, ''), '@t', NEW.id, NEW.created_by) || leaf_agent_mark(NEW.id)
    )
    ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_sessions_keep_words_of_new AFTER INSERT ON chat_sessions
FOR EACH ROW WHEN (NEW.title IS NOT NULL) EXECUTE FUNCTION leaf_keep_title_words();
CREATE TRIGGER chat_sessions_keep_words AFTER UPDATE OF title ON chat_sessions
FOR EACH ROW WHEN (OLD.title IS DISTINCT FROM NEW.title) EXECUTE FUNCTION leaf_keep_title_words();

-- Changes the creator's mark when a chat passes to another participant.
CREATE FUNCTION leaf_move_words() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE search_words w
        SET words = ts_delete(w.words, '@u' || OLD.created_by) || array_to_tsvector(ARRAY['@u' || NEW.created_by])
        WHERE w.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_sessions_move_words AFTER UPDATE OF created_by ON chat_sessions
FOR EACH ROW WHEN (OLD.created_by IS DISTINCT FROM NEW.created_by) EXECUTE FUNCTION leaf_move_words();


-- Searching

-- A query of terms, each a word or a phrase; with `unfinished`, the last one may be the beginning of a word. NULL when
-- no word remains.
CREATE FUNCTION leaf_search_query(terms text[], unfinished boolean) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made tsquery;
    one tsquery;
BEGIN
    FOR place IN 1 .. coalesce(cardinality(terms), 0) LOOP
        one := phraseto_tsquery('simple', leaf_search_words(terms[place]));
        CONTINUE WHEN numnode(one) = 0;
        IF unfinished AND place = cardinality(terms) THEN
            one := (one::text || ':*')::tsquery;
        END IF;
        made := CASE WHEN made IS NULL THEN one ELSE made && one END;
    END LOOP;
    RETURN made;
END
$$;

-- The person's messages that match a query: at most three of a chat, newest first, chats in the order of their last
-- activity. The function has the owner's rights because, under policies, the full-text operator would only run after
-- the policies had looked at every row.
CREATE FUNCTION leaf_search(terms text[], unfinished boolean, most integer) RETURNS TABLE (
    chat_session_id uuid, message_id uuid
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    person uuid := leaf_user_id();
    query tsquery := leaf_search_query(terms, unfinished);
    place text;
    hits integer;
BEGIN
    IF person IS NULL OR query IS NULL THEN
        RETURN;
    END IF;
    -- A frequent word is found at once in recent chats; the index would read all of its occurrences.
    RETURN QUERY
        SELECT p.chat_session_id, w.message_id
        FROM (
            SELECT c.chat_session_id, c.active_at FROM chat_participants c
            WHERE c.user_id = person AND c.listed ORDER BY c.active_at DESC LIMIT 300
        ) p CROSS JOIN LATERAL (
            SELECT o.message_id, o.position FROM search_words o
            -- IS TRUE keeps the planner from searching the index of all words once for each chat.
            WHERE o.chat_session_id = p.chat_session_id AND o.message_id IS NOT NULL AND (o.words @@ query) IS TRUE
            ORDER BY o.position DESC LIMIT 3
        ) w
        ORDER BY p.active_at DESC, w.position DESC LIMIT most;
    GET DIAGNOSTICS hits = ROW_COUNT;
    IF hits >= most THEN
        RETURN;
    END IF;
    SELECT concat_ws(' | ', format('%L', '@u' || person), string_agg(format('%L', '@c' || c.id), ' | '))
        INTO STRICT place
        FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.user_id = person AND p.listed AND c.created_by <> person;
    -- The rows above are returned again; the caller keeps each of them once.
    RETURN QUERY EXECUTE
        'SELECT h.chat_session_id, h.message_id FROM ('
        'SELECT w.chat_session_id, w.message_id, w.position, p.active_at, '
        'row_number() OVER (PARTITION BY w.chat_session_id ORDER BY w.position DESC) AS place FROM search_words w '
        'JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = $2 AND p.listed '
        'WHERE w.words @@ $1) h WHERE h.place <= 3 ORDER BY h.active_at DESC, h.position DESC LIMIT $3'
        USING query && $mark$'@m'$mark$::tsquery && place::tsquery, person, most;
END
$$;

-- The person's chats whose titles match a query, in the same order.
CREATE FUNCTION leaf_search_titles(terms text[], unfinished boolean, most integer) RETURNS TABLE (chat_session_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT p.chat_session_id FROM chat_participants p JOIN search_words w ON w.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.listed
        AND (w.words @@ (SELECT leaf_search_query(leaf_search_titles.terms, leaf_search_titles.unfinished))) IS TRUE
    ORDER BY p.active_at DESC LIMIT leaf_search_titles.most
$$;

GRANT EXECUTE ON FUNCTION
    leaf_message_text(jsonb),
    leaf_search(text[], boolean, integer),
    leaf_search_titles(text[], boolean, integer)
TO leaf_app;
