-- Public links to chats. What a link shows is made here when the chat is shared, and kept: the questions, the texts of
-- the answers, their citations and what is told of where was looked. Nobody writes it by hand, and nothing else of the
-- chat can be reached by a link.
CREATE TABLE chat_shares (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL UNIQUE REFERENCES chat_sessions (id) ON DELETE CASCADE,
    created_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token text NOT NULL UNIQUE CONSTRAINT chat_shares_token_check CHECK (token ~ '^[A-Za-z0-9_-]{32,64}$'),
    message_ids uuid[] NOT NULL,
    title varchar(255) NOT NULL DEFAULT '',
    content jsonb NOT NULL DEFAULT '[]'::jsonb,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    shared_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_shares_created_by_idx ON chat_shares (created_by);

-- An address that leads to the web; Leaf's own lead to files of the chat.
CREATE FUNCTION leaf_web_address(address text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE WHEN address ~ '^https?://' THEN address END $$;

-- What is told of where was looked: numbers, and the names of what was read or left out. Not what was searched for, why
-- a call failed, or which files the chat has: those are inputs and outputs of tools.
CREATE FUNCTION leaf_shared_coverage(receipt jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'searches', (SELECT count(*) FROM jsonb_path_query(receipt, '$.searches[*]')),
        'folders', (SELECT count(*) FROM jsonb_path_query(receipt, '$.folders[*]')),
        'found', coalesce(jsonb_path_query_first(receipt, '$.found ? (@.type() == "number")'), '0'),
        'more', coalesce(jsonb_path_query_first(receipt, '$.more ? (@.type() == "boolean")'), 'false'),
        'read', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'name', 'complete', one -> 'complete')), '[]')
            FROM jsonb_path_query(receipt, '$.read[*]') one
        ),
        'skipped', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'name', 'cause', one ->> 'cause')), '[]')
            FROM jsonb_path_query(receipt, '$.skipped[*]') one
        ),
        'failed', (SELECT count(*) FROM jsonb_path_query(receipt, '$.failed[*]')),
        'partial', coalesce(jsonb_path_query_first(receipt, '$.partial ? (@.type() == "number")'), '0'),
        'web_searches', (SELECT count(*) FROM jsonb_path_query(receipt, '$.web.searches[*]')),
        'pages', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', one ->> 'title', 'complete', one -> 'complete')), '[]')
            FROM jsonb_path_query(receipt, '$.web.pages[*]') one
        ),
        'chat_files', (SELECT count(*) FROM jsonb_path_query(receipt, '$.chat_files[*]'))
    )
$$;

-- What is shown of the parts of a message. Texts keep their slot, by which citations say where they stand.
CREATE FUNCTION leaf_shared_parts(parts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT jsonb_build_object(
        'texts', coalesce(
            jsonb_agg(jsonb_build_object('slot', slot - 1, 'text', part ->> 'text') ORDER BY slot)
                FILTER (WHERE part ->> 'type' = 'text'),
            '[]'
        ),
        'citations', (
            SELECT coalesce(
                jsonb_agg(jsonb_build_object(
                    'n', one -> 'n', 'verified', one -> 'verified', 'reason', one ->> 'reason', 'name', one ->> 'name',
                    'url', leaf_web_address(one ->> 'url'), 'part', one ->> 'part', 'quote', one ->> 'quote',
                    'at', one -> 'at'
                )),
                '[]'
            )
            FROM jsonb_path_query(
                parts,
                '$[*] ? (@.type == "data-citations").data[*] ? (@.n.type() == "number" && @.at.type() == "array")'
            ) one
        ),
        'coverage', (
            SELECT leaf_shared_coverage(one)
            FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-coverage").data ? (@.type() == "object")') one
            LIMIT 1
        )
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$$;

-- What a link to these messages shows, in their order: those that have ended and that whoever calls this may read.
CREATE FUNCTION leaf_shared_content(chat uuid, ids uuid[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('role', m.role, 'status', m.status, 'at', m.created_at) || leaf_shared_parts(m.parts)
            ORDER BY chosen.place
        ),
        '[]'
    )
    FROM unnest(ids) WITH ORDINALITY AS chosen (id, place)
    JOIN messages m ON m.id = chosen.id AND m.chat_session_id = chat
    WHERE m.status IN ('completed', 'stopped', 'error')
$$;

CREATE FUNCTION leaf_share_content() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    NEW.content := leaf_shared_content(NEW.chat_session_id, NEW.message_ids);
    NEW.title := coalesce((SELECT c.title FROM chat_sessions c WHERE c.id = NEW.chat_session_id), '');
    NEW.shared_at := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER chat_shares_content BEFORE INSERT OR UPDATE OF message_ids ON chat_shares
FOR EACH ROW EXECUTE FUNCTION leaf_share_content();

-- What is behind a link, for whoever has it: no person is needed. A link that has ended is none, nor is one to a chat
-- that was deleted.
CREATE FUNCTION leaf_shared_chat(token text) RETURNS TABLE (title text, content jsonb, shared_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.title, s.content, s.shared_at
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_chat.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;

GRANT SELECT, DELETE ON chat_shares TO leaf_app;
GRANT INSERT (id, chat_session_id, created_by, token, message_ids, expires_at, created_at) ON chat_shares TO leaf_app;
GRANT UPDATE (message_ids, expires_at) ON chat_shares TO leaf_app;

ALTER TABLE chat_shares ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_shares_select ON chat_shares FOR SELECT TO leaf_app USING (created_by = (SELECT leaf_user_id()));
CREATE POLICY chat_shares_insert ON chat_shares FOR INSERT TO leaf_app
    WITH CHECK (created_by = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_shares_update ON chat_shares FOR UPDATE TO leaf_app
    USING (created_by = (SELECT leaf_user_id()))
    WITH CHECK (created_by = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_shares_delete ON chat_shares FOR DELETE TO leaf_app USING (created_by = (SELECT leaf_user_id()));

REVOKE ALL ON FUNCTION
    leaf_web_address(text),
    leaf_shared_coverage(jsonb),
    leaf_shared_parts(jsonb),
    leaf_shared_content(uuid, uuid[]),
    leaf_share_content(),
    leaf_shared_chat(text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_web_address(text),
    leaf_shared_coverage(jsonb),
    leaf_shared_parts(jsonb),
    leaf_shared_content(uuid, uuid[]),
    leaf_shared_chat(text)
TO leaf_app;
