-- Sharing: other participants by invitation, and public links.

-- The creator of a chat invites others by e-mail address; a person who signs in with that address finds the
-- invitation. The creator never learns whether such a person exists, or that an invitation was declined.
CREATE TABLE chat_invitations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    invited_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email text NOT NULL CONSTRAINT chat_invitations_email_check CHECK (email = lower(email)),
    declined_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (chat_session_id, email)
);
CREATE INDEX chat_invitations_invited_by_idx ON chat_invitations (invited_by);
CREATE INDEX chat_invitations_email_idx ON chat_invitations (email);

GRANT SELECT, INSERT, DELETE ON chat_invitations TO leaf_app;
ALTER TABLE chat_invitations ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_invitations_select ON chat_invitations FOR SELECT TO leaf_app
    USING (invited_by = (SELECT leaf_user_id()));
CREATE POLICY chat_invitations_insert ON chat_invitations FOR INSERT TO leaf_app
    WITH CHECK (invited_by = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_invitations_delete ON chat_invitations FOR DELETE TO leaf_app
    USING (invited_by = (SELECT leaf_user_id()));

-- The names of a chat's participants, for each of them.
CREATE FUNCTION leaf_participants(chat uuid) RETURNS TABLE (user_id uuid, name text, creator boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.id, coalesce(u.display_name, u.name), c.created_by = u.id
    FROM chat_participants p
    JOIN chat_sessions c ON c.id = p.chat_session_id
    JOIN users u ON u.id = p.user_id
    WHERE p.chat_session_id = chat AND leaf_is_participant(chat)
    ORDER BY c.created_by <> u.id, p.joined_at, u.id
$$;

-- The person's open invitations, except those into a chat that is deleted at the moment.
CREATE FUNCTION leaf_my_invitations() RETURNS TABLE (id uuid, title text, invited_by text, created_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT i.id, c.title, coalesce(inviter.display_name, inviter.name), i.created_at
    FROM users me
    JOIN chat_invitations i ON i.email = lower(me.email)
    JOIN chat_sessions c ON c.id = i.chat_session_id AND c.deleted_at IS NULL
    JOIN users inviter ON inviter.id = i.invited_by
    WHERE me.id = leaf_user_id() AND i.declined_at IS NULL
    ORDER BY i.created_at DESC, i.id
$$;

-- Adds the person to the chat; returns the chat, or NULL without such an invitation for this person.
CREATE FUNCTION leaf_accept_invitation(invitation uuid) RETURNS uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH accepted AS (
        DELETE FROM chat_invitations i USING users me, chat_sessions c
        WHERE i.id = invitation AND me.id = leaf_user_id() AND i.email = lower(me.email) AND i.declined_at IS NULL
            AND c.id = i.chat_session_id AND c.deleted_at IS NULL
        RETURNING i.chat_session_id, me.id AS user_id
    ), joined AS (
        INSERT INTO chat_participants (chat_session_id, user_id) SELECT chat_session_id, user_id FROM accepted
        ON CONFLICT DO NOTHING
    )
    SELECT chat_session_id FROM accepted
$$;

CREATE FUNCTION leaf_decline_invitation(invitation uuid) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH declined AS (
        UPDATE chat_invitations i SET declined_at = now() FROM users me
        WHERE i.id = invitation AND me.id = leaf_user_id() AND i.email = lower(me.email) AND i.declined_at IS NULL
        RETURNING i.id
    )
    SELECT EXISTS (SELECT FROM declined)
$$;

-- The people whose open pages are notified of a new invitation. The program never shows this to anybody.
CREATE FUNCTION leaf_invited(invitation uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.id FROM chat_invitations i JOIN users u ON lower(u.email) = i.email
    WHERE i.id = invitation AND i.invited_by = leaf_user_id()
$$;

GRANT EXECUTE ON FUNCTION
    leaf_participants(uuid),
    leaf_my_invitations(),
    leaf_accept_invitation(uuid),
    leaf_decline_invitation(uuid),
    leaf_invited(uuid)
TO leaf_app;


-- A public link. Its content is made by a trigger when the chat is shared, and kept: the questions, the texts of the
-- answers, their citations and their receipts. Nobody can write it directly, and nothing else of the chat can be
-- reached through a link.
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

GRANT
    SELECT,
    INSERT (id, chat_session_id, created_by, token, message_ids, expires_at, created_at),
    UPDATE (message_ids, expires_at),
    DELETE
ON chat_shares TO leaf_app;
ALTER TABLE chat_shares ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_shares_select ON chat_shares FOR SELECT TO leaf_app USING (created_by = (SELECT leaf_user_id()));
CREATE POLICY chat_shares_insert ON chat_shares FOR INSERT TO leaf_app
    WITH CHECK (created_by = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_shares_update ON chat_shares FOR UPDATE TO leaf_app
    USING (created_by = (SELECT leaf_user_id()))
    WITH CHECK (created_by = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_shares_delete ON chat_shares FOR DELETE TO leaf_app USING (created_by = (SELECT leaf_user_id()));

-- An address on the web; NULL for Leaf's own addresses, which lead to files of the chat.
CREATE FUNCTION leaf_web_address(address text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$ SELECT CASE WHEN address ~ '^https?://' THEN address END $$;

-- The public form of a receipt: numbers, and the names of files that were read or skipped. Search terms, reasons of
-- failed calls and the names of the chat's files are inputs and outputs of tools, and stay private.
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

-- The public form of a message's parts. Texts keep their slots, to which citations refer.
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

-- The content of a link to these messages, in their order: only ended messages that the caller may read.
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

-- The page behind a link, for every caller who has its token. An expired link shows nothing, nor does a link to a
-- deleted chat.
CREATE FUNCTION leaf_shared_chat(token text) RETURNS TABLE (title text, content jsonb, shared_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.title, s.content, s.shared_at
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_chat.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;

GRANT EXECUTE ON FUNCTION
    leaf_web_address(text),
    leaf_shared_coverage(jsonb),
    leaf_shared_parts(jsonb),
    leaf_shared_content(uuid, uuid[]),
    leaf_shared_chat(text)
TO leaf_app;
