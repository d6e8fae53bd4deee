-- When a member's sight got a file, or another revision of it (decision 0087). Rows from before count as old.
ALTER TABLE drive_sight
    ADD COLUMN arrived_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT 'epoch';
ALTER TABLE drive_sight ALTER COLUMN arrived_at SET DEFAULT now(), ALTER COLUMN changed_at SET DEFAULT now();
CREATE INDEX drive_sight_changed_idx ON drive_sight (user_id, changed_at);

CREATE FUNCTION leaf_note_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    NEW.changed_at := now();
    IF NOT OLD.can_download THEN
        NEW.arrived_at := now();
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leaf_note_revision() FROM PUBLIC;
CREATE TRIGGER drive_sight_revision BEFORE UPDATE ON drive_sight FOR EACH ROW
    WHEN (OLD.revision IS DISTINCT FROM NEW.revision OR NEW.can_download AND NOT OLD.can_download)
    EXECUTE FUNCTION leaf_note_revision();

-- Questions that are asked again when a file changes (decision 0087). A watch goes with its chat, with the question, and
-- with its member's part in the chat.
CREATE TABLE watches (
    id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT watches_pkey PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    chat_session_id uuid NOT NULL,
    question_id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT watches_kind_check CHECK (kind IN ('change', 'appear')),
    every text NOT NULL CONSTRAINT watches_every_check CHECK (every IN ('day', 'week')),
    looked_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL DEFAULT now(),
    attempt integer NOT NULL DEFAULT 0,
    asking boolean NOT NULL DEFAULT false,
    answer_id uuid,
    asked_at timestamptz,
    problem text NOT NULL DEFAULT '',
    news_at timestamptz,
    ended_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT watches_user_id_question_id_key UNIQUE (user_id, question_id),
    CONSTRAINT watches_participant_fkey FOREIGN KEY (chat_session_id, user_id)
        REFERENCES chat_participants (chat_session_id, user_id) ON DELETE CASCADE,
    CONSTRAINT watches_question_id_fkey FOREIGN KEY (chat_session_id, question_id)
        REFERENCES messages (chat_session_id, id) ON DELETE CASCADE,
    CONSTRAINT watches_answer_id_fkey FOREIGN KEY (chat_session_id, answer_id)
        REFERENCES messages (chat_session_id, id) ON DELETE SET NULL (answer_id)
);
CREATE INDEX watches_due_idx ON watches (next_at) WHERE ended_at IS NULL;
CREATE INDEX watches_chat_session_id_idx ON watches (chat_session_id, question_id);
CREATE INDEX watches_answer_id_idx ON watches (answer_id);
CREATE INDEX watches_workspace_id_idx ON watches (workspace_id);

GRANT SELECT, INSERT, DELETE, UPDATE (
    kind, every, looked_at, next_at, attempt, asking, answer_id, asked_at, problem, news_at, ended_at
) ON watches TO leaf_app;
ALTER TABLE watches ENABLE ROW LEVEL SECURITY;
CREATE POLICY watches_select ON watches FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY watches_insert ON watches FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY watches_no_visitor ON watches AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY watches_update ON watches FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY watches_delete ON watches FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- Members with something to be done: a question that may be looked at, or an answer to one that has ended.
CREATE FUNCTION leaf_due_watches(most integer) RETURNS TABLE(user_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT DISTINCT w.user_id, w.workspace_id
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    LEFT JOIN messages m ON m.id = w.answer_id
    WHERE w.ended_at IS NULL AND CASE
        WHEN w.asking THEN m.id IS NULL OR m.status NOT IN ('pending', 'streaming')
        ELSE w.next_at <= now() AND p.archived_at IS NULL AND EXISTS (
            SELECT FROM drive_feeds f
            JOIN integrations i ON i.user_id = f.user_id AND i.workspace_id = f.workspace_id
                AND i.provider = 'google_drive' AND i.status = 'active'
            WHERE f.user_id = w.user_id AND f.drive_id = '' AND f.workspace_id = w.workspace_id
        )
    END
    LIMIT most
$$;
REVOKE ALL ON FUNCTION leaf_due_watches(most integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_due_watches(most integer) TO leaf_app;

-- Files that have come into the member's sight since a time, or whose text has changed since. One that is not `ready` is
-- yet to be read. A revision with the text of the one before keeps its row in `drive_texts`, so that the row is old.
CREATE FUNCTION leaf_changed_files(since timestamptz) RETURNS TABLE(file_id text, changed_at timestamptz, ready boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.file_id, s.changed_at, coalesce(t.state IN ('read', 'skipped'), false)
        OR s.changed_at < now() - interval '6 hours'
    FROM drive_sight s
    LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    WHERE s.user_id = leaf_user_id() AND s.changed_at > since AND s.can_download AND s.kind NOT IN ('folder', 'shortcut')
        AND (s.arrived_at > since OR t.id IS NULL OR t.created_at > since - interval '1 day')
$$;
REVOKE ALL ON FUNCTION leaf_changed_files(since timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_changed_files(since timestamptz) TO leaf_app;

-- An answer that nobody waits for leads nobody away from what they read: participants who follow the newest message of a
-- chat go on below the one that is the newest now.
CREATE FUNCTION leaf_stay_on_branches(chat uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_participants p
    SET branch_id = (SELECT m.id FROM messages m WHERE m.chat_session_id = chat ORDER BY m.position DESC LIMIT 1)
    WHERE p.chat_session_id = chat AND p.branch_id IS NULL AND leaf_is_participant(chat)
$$;
REVOKE ALL ON FUNCTION leaf_stay_on_branches(chat uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_stay_on_branches(chat uuid) TO leaf_app;
