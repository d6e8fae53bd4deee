-- Several people in one chat. Who began it invites others by their e-mail address; whoever signs in with that address
-- finds the invitation. Whether there is such a person, or what they did with it, is told to nobody.
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

-- Who began a chat stays in it, and removes others; the others may leave.
GRANT DELETE ON chat_participants TO leaf_app;
CREATE POLICY chat_participants_delete ON chat_participants FOR DELETE TO leaf_app USING (
    leaf_is_participant(chat_session_id)
    AND CASE WHEN leaf_is_creator(chat_session_id) THEN user_id <> (SELECT leaf_user_id())
    ELSE user_id = (SELECT leaf_user_id()) END
);

-- Nor does anybody else delete it.
ALTER POLICY chat_sessions_delete ON chat_sessions USING (leaf_is_participant(id) AND leaf_is_creator(id));

-- Deletes chats that the person began, for all who take part in them; others are left out.
CREATE OR REPLACE FUNCTION leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE chat_sessions c SET deleted_at = clock_timestamp(), deleted_by = leaf_user_id()
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_delete_chats.chats) AND l.created_by = leaf_user_id() AND leaf_is_participant(l.id)
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;

-- Who leaves Leaf leaves a chat of several to another one: words are found there by who began it.
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
REVOKE ALL ON FUNCTION leaf_move_words() FROM PUBLIC;

-- The names of those who take part in a chat, for each of them.
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

-- The invitations that wait for the person who asks; none into a chat that was deleted, unless that is taken back.
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

-- Takes part from here on; the chat, or nothing where there is no such invitation for the person who asks.
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

-- Whose open pages are told to look: for the program alone, which says it to nobody.
CREATE FUNCTION leaf_invited(invitation uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT u.id FROM chat_invitations i JOIN users u ON lower(u.email) = i.email
    WHERE i.id = invitation AND i.invited_by = leaf_user_id()
$$;
CREATE INDEX users_lower_email_idx ON users (lower(email));

-- An answer is used in the asker's own workspace, where their integrations are, whoever began the chat.
CREATE FUNCTION leaf_workspace_in(chat uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT w.workspace_id FROM workspace_members w
    WHERE w.user_id = leaf_user_id()
    ORDER BY w.workspace_id IN (SELECT c.workspace_id FROM chat_sessions c WHERE c.id = chat) DESC, w.created_at
    LIMIT 1
$$;

CREATE OR REPLACE FUNCTION leaf_answer_usage() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    went_on boolean := OLD.answers IS NOT NULL;
BEGIN
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms
    )
    SELECT
        NEW.workflow_run_id, 'answer', NEW.user_id, leaf_workspace_in(c.id), c.id, NEW.id, coalesce(NEW.model, ''),
        leaf_more(NEW.requests, OLD.requests, went_on), leaf_more(NEW.input_tokens, OLD.input_tokens, went_on),
        leaf_more(NEW.output_tokens, OLD.output_tokens, went_on),
        leaf_more(NEW.cache_read_tokens, OLD.cache_read_tokens, went_on),
        leaf_more(NEW.cache_write_tokens, OLD.cache_write_tokens, went_on),
        leaf_more(NEW.thinking_tokens, OLD.thinking_tokens, went_on),
        CASE WHEN NEW.cost_usd IS NOT NULL THEN leaf_more(NEW.cost_usd, OLD.cost_usd, went_on) END, NEW.duration_ms
    FROM chat_sessions c WHERE c.id = NEW.chat_session_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION
    leaf_participants(uuid),
    leaf_my_invitations(),
    leaf_accept_invitation(uuid),
    leaf_decline_invitation(uuid),
    leaf_invited(uuid),
    leaf_workspace_in(uuid)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_participants(uuid),
    leaf_my_invitations(),
    leaf_accept_invitation(uuid),
    leaf_decline_invitation(uuid),
    leaf_invited(uuid),
    leaf_workspace_in(uuid)
TO leaf_app;

-- Whoever is removed can no longer finish what is written for them: it is stopped, so that the chat can go on. What it
-- used is entered by its worker.
CREATE FUNCTION leaf_stop_answers(chat uuid, person uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    runs uuid[];
BEGIN
    IF NOT (leaf_is_creator(chat) OR person = leaf_user_id()) OR NOT leaf_is_participant(chat) THEN
        RETURN;
    END IF;
    WITH stopped AS (
        UPDATE messages m SET status = 'stopped', answers = NULL, updated_at = now()
        WHERE m.chat_session_id = chat AND m.user_id = person AND m.status IN ('pending', 'streaming', 'waiting')
        RETURNING m.workflow_run_id
    )
    SELECT coalesce(array_agg(workflow_run_id), '{}') INTO runs FROM stopped;
    DELETE FROM usage_entries u WHERE u.run_id = ANY (runs) AND u.purpose = 'answer' AND u.requests = 0;
    RETURN QUERY SELECT unnest(runs);
END
$$;
REVOKE ALL ON FUNCTION leaf_stop_answers(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_stop_answers(uuid, uuid) TO leaf_app;
