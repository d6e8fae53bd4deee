-- Chats, their participants and their messages.

CREATE TYPE message_role AS ENUM ('user', 'assistant');
CREATE TYPE message_status AS ENUM ('pending', 'streaming', 'completed', 'error', 'stopped', 'waiting');

-- begun, running, waiting and answered_at are kept by triggers, so that a list of thousands of chats reads no message.
-- A deleted chat is hidden from everybody at once and removed later (leaf_purge_chat).
CREATE TABLE chat_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    created_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title varchar(255),
    used_drive boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- question: the first words of the first question, until a model has written a title; user: chosen by a person.
    title_source text NOT NULL DEFAULT 'question'
        CONSTRAINT chat_sessions_title_source_check CHECK (title_source IN ('question', 'model', 'user')),
    -- Whether participants are asked before an answer could send out something that it has read.
    approvals boolean NOT NULL DEFAULT true,
    begun boolean NOT NULL DEFAULT false,
    running boolean NOT NULL DEFAULT false,
    waiting boolean NOT NULL DEFAULT false,
    answered_at timestamptz,
    deleted_at timestamptz,
    deleted_by uuid REFERENCES users (id) ON DELETE SET NULL,
    imported_from text CONSTRAINT chat_sessions_imported_from_check CHECK (imported_from IN ('leaf', 'chatgpt')),
    -- Identifies the chat in the file that it was imported from (imports.sql).
    imported_key text
);
CREATE INDEX chat_sessions_workspace_id_updated_at_idx ON chat_sessions (workspace_id, updated_at DESC);
CREATE INDEX chat_sessions_created_by_idx ON chat_sessions (created_by);
CREATE INDEX chat_sessions_deleted_at_idx ON chat_sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX chat_sessions_deleted_by_idx ON chat_sessions (deleted_by) WHERE deleted_by IS NOT NULL;
-- A deleted chat does not count as imported.
CREATE UNIQUE INDEX chat_sessions_imported_key_idx ON chat_sessions (created_by, imported_key)
    WHERE imported_key IS NOT NULL AND deleted_at IS NULL;

-- A chat is a tree: a question refers to the answer that it follows, an answer to its question. A reworded question is
-- one more message beside the old one. `position` is the order in which messages were added.
CREATE TABLE messages (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    role message_role NOT NULL,
    parts jsonb NOT NULL DEFAULT '[]'::jsonb,
    metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
    status message_status NOT NULL DEFAULT 'completed',
    workflow_run_id uuid UNIQUE,
    user_id uuid REFERENCES users (id) ON DELETE SET NULL,
    model text,
    model_messages jsonb,
    input_tokens integer,
    output_tokens integer,
    cache_read_tokens integer,
    cache_write_tokens integer,
    cost_usd numeric,
    error_code text,
    error_text text,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    thinking_tokens integer,
    requests integer,
    duration_ms integer,
    -- The most that a running answer may still take from its asker's budgets.
    reserved_tokens bigint,
    reserved_usd numeric,
    -- The reader's replies to a waiting answer so far, by tool call id; the run goes on once no call is open.
    answers jsonb CONSTRAINT messages_answers_check CHECK (answers IS NULL OR jsonb_typeof(answers) = 'object'),
    parent_id uuid,
    -- The start of the current run. An answer that is written again, or goes on, is older than its run.
    run_at timestamptz NOT NULL DEFAULT now(),
    -- Tools that run at the caller: the declarations, the state of each call, and until when the answer waits.
    client_tools jsonb CONSTRAINT messages_client_tools_check
        CHECK (client_tools IS NULL OR jsonb_typeof(client_tools) = 'object'),
    client_calls jsonb CONSTRAINT messages_client_calls_check
        CHECK (client_calls IS NULL OR jsonb_typeof(client_calls) = 'object'),
    client_due_at timestamptz,
    first_text_ms integer,
    CONSTRAINT messages_chat_session_id_id_key UNIQUE (chat_session_id, id),
    CONSTRAINT messages_parent_id_fkey FOREIGN KEY (chat_session_id, parent_id)
        REFERENCES messages (chat_session_id, id) ON DELETE CASCADE,
    CONSTRAINT messages_parts_check CHECK (jsonb_typeof(parts) = 'array'),
    CONSTRAINT messages_metadata_check CHECK (jsonb_typeof(metadata) = 'object'),
    CONSTRAINT messages_run_check CHECK (role <> 'assistant' OR workflow_run_id IS NOT NULL),
    -- The required fields of each kind of part (UIMessage parts of the AI SDK), and the states of a tool call.
    CONSTRAINT messages_part_kinds_check CHECK (
        NOT jsonb_path_exists(
            parts,
            '$[*] ? (
                !(@.type.type() == "string")
                || ((@.type == "text" || @.type == "reasoning") && !(@.text.type() == "string"))
                || ((@.type starts with "tool-" || @.type == "dynamic-tool") && !(@.toolCallId.type() == "string" && (
                    @.state == "input-streaming" || @.state == "input-available" || @.state == "output-available"
                    || @.state == "output-error" || @.state == "output-denied"
                    || @.state == "approval-requested" || @.state == "approval-responded"
                )))
                || (@.type == "dynamic-tool" && !(@.toolName.type() == "string"))
                || (@.type starts with "data-" && !exists(@.data))
            )'
        )
    )
);
CREATE INDEX messages_chat_session_id_position_idx ON messages (chat_session_id, position);
CREATE INDEX messages_parent_id_idx ON messages (parent_id);
CREATE INDEX messages_user_id_idx ON messages (user_id);
CREATE INDEX messages_open_idx ON messages (chat_session_id) WHERE status NOT IN ('completed', 'error', 'stopped');
CREATE INDEX messages_unfinished_idx ON messages (run_at) WHERE status IN ('pending', 'streaming');
CREATE INDEX messages_client_due_at_idx ON messages (client_due_at) WHERE client_due_at IS NOT NULL;
CREATE INDEX messages_failed_idx ON messages (updated_at) WHERE status = 'error';
CREATE INDEX messages_failed_chat_idx ON messages (chat_session_id) WHERE status = 'error';

-- The participants of a chat, and the state of the chat in each participant's list. The creator adds themselves in the
-- transaction that creates the chat; others accept an invitation (sharing.sql).
CREATE TABLE chat_participants (
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    joined_at timestamptz NOT NULL DEFAULT now(),
    -- The branch that the participant reads: the path to the newest message at or below this one. NULL is the newest
    -- message of the chat. Each participant has their own, so rewording a question does not move the others.
    branch_id uuid,
    -- listed, active_at and changed_at are kept by triggers.
    listed boolean NOT NULL DEFAULT false,
    active_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    pinned_at timestamptz,
    archived_at timestamptz,
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chat_session_id, user_id),
    CONSTRAINT chat_participants_branch_id_fkey FOREIGN KEY (chat_session_id, branch_id)
        REFERENCES messages (chat_session_id, id) ON DELETE SET NULL (branch_id)
);
CREATE INDEX chat_participants_user_id_idx ON chat_participants (user_id);
CREATE INDEX chat_participants_chats_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NULL AND pinned_at IS NULL;
CREATE INDEX chat_participants_pinned_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NULL AND pinned_at IS NOT NULL;
CREATE INDEX chat_participants_archived_idx ON chat_participants (user_id, active_at DESC, chat_session_id DESC)
    WHERE listed AND archived_at IS NOT NULL;
CREATE INDEX chat_participants_listed_idx ON chat_participants (user_id, active_at DESC) WHERE listed;
CREATE INDEX chat_participants_changed_idx ON chat_participants (user_id, changed_at);
CREATE INDEX chat_participants_unlisted_idx ON chat_participants (user_id) WHERE NOT listed;

-- A summary stands for the earlier turns of a chat when a model cannot be sent all of them.
CREATE TABLE chat_summaries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    chat_session_id uuid NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
    message_id uuid NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    user_id uuid REFERENCES users (id) ON DELETE SET NULL,
    text text NOT NULL,
    model text,
    input_tokens integer NOT NULL DEFAULT 0,
    output_tokens integer NOT NULL DEFAULT 0,
    cost_usd numeric,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_summaries_chat_session_id_idx ON chat_summaries (chat_session_id);
CREATE INDEX chat_summaries_user_id_idx ON chat_summaries (user_id);


-- Rights. Participation decides, not membership of the workspace: a colleague sees neither title nor content.

-- Whether the person takes part in a chat that is not deleted. Nearly every policy of a chat's content calls this.
CREATE FUNCTION leaf_is_participant(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
        WHERE p.chat_session_id = chat AND p.user_id = leaf_user_id() AND c.deleted_at IS NULL
    )
$$;

-- The policy of chat_participants needs this: a creator who does not take part yet cannot see the chat.
CREATE FUNCTION leaf_is_creator(chat uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM chat_sessions c WHERE c.id = chat AND c.created_by = leaf_user_id())
$$;

GRANT EXECUTE ON FUNCTION leaf_is_participant(uuid), leaf_is_creator(uuid) TO leaf_app;

-- Columns that decide whose a row is (owner, chat, parent) are granted to INSERT alone, so no UPDATE can move a row.
GRANT SELECT, INSERT, DELETE, UPDATE (title, title_source, used_drive, approvals, updated_at)
    ON chat_sessions TO leaf_app;
ALTER TABLE chat_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_sessions_select ON chat_sessions FOR SELECT TO leaf_app USING (leaf_is_participant(id));
CREATE POLICY chat_sessions_insert ON chat_sessions FOR INSERT TO leaf_app WITH CHECK (
    created_by = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY chat_sessions_update ON chat_sessions FOR UPDATE TO leaf_app
    USING (leaf_is_participant(id)) WITH CHECK (leaf_is_participant(id));
CREATE POLICY chat_sessions_delete ON chat_sessions FOR DELETE TO leaf_app
    USING (leaf_is_participant(id) AND leaf_is_creator(id));

GRANT SELECT, INSERT, DELETE, UPDATE (branch_id, pinned_at, archived_at, read_at) ON chat_participants TO leaf_app;
ALTER TABLE chat_participants ENABLE ROW LEVEL SECURITY;
-- A person's own rows of a list are recognised by their columns: a function call for each would make a long list slow.
CREATE POLICY chat_participants_select ON chat_participants FOR SELECT TO leaf_app
    USING ((user_id = (SELECT leaf_user_id()) AND listed) OR leaf_is_participant(chat_session_id));
CREATE POLICY chat_participants_insert ON chat_participants FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));
CREATE POLICY chat_participants_update ON chat_participants FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id))
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
-- The creator stays in the chat and may remove others; the others may leave.
CREATE POLICY chat_participants_delete ON chat_participants FOR DELETE TO leaf_app USING (
    leaf_is_participant(chat_session_id)
    AND CASE WHEN leaf_is_creator(chat_session_id) THEN user_id <> (SELECT leaf_user_id())
    ELSE user_id = (SELECT leaf_user_id()) END
);

-- A message belongs to its asker, and only the asker's worker finishes the answer.
GRANT SELECT, INSERT, UPDATE (
    parts, metadata, status, workflow_run_id, model, model_messages, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, thinking_tokens, requests, cost_usd, duration_ms, first_text_ms, reserved_tokens, reserved_usd,
    answers, client_tools, client_calls, client_due_at, error_code, error_text, updated_at
) ON messages TO leaf_app;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY messages_select ON messages FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY messages_insert ON messages FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY messages_update ON messages FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id))
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));

-- A summary is stored in the chat of the answer that it ends with; that answer is looked up under its own policy.
GRANT SELECT, INSERT ON chat_summaries TO leaf_app;
ALTER TABLE chat_summaries ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_summaries_select ON chat_summaries FOR SELECT TO leaf_app
    USING (leaf_is_participant(chat_session_id));
CREATE POLICY chat_summaries_insert ON chat_summaries FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id)
    AND EXISTS (
        SELECT FROM messages m WHERE m.id = message_id AND m.chat_session_id = chat_summaries.chat_session_id
    )
);


-- The tree. A parent is an earlier message of the same chat with the other role, so messages cannot form a circle. The
-- column is granted to INSERT alone: nobody can change a parent afterwards.
CREATE FUNCTION leaf_message_parent() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM messages m
        WHERE m.id = NEW.parent_id AND m.chat_session_id = NEW.chat_session_id AND m.role <> NEW.role
    ) THEN
        RAISE EXCEPTION 'a message hangs on an earlier one of the same chat, a question on an answer and the reverse'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'messages_parent_check';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER messages_parent BEFORE INSERT ON messages
FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL) EXECUTE FUNCTION leaf_message_parent();


-- Lists. The following triggers keep what a list of chats shows.

-- Updates the chat in the same statement as the message: a turn costs three writes.
CREATE FUNCTION leaf_chat_activity() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE chat_sessions c SET
            updated_at = now(),
            title = coalesce(
                c.title,
                CASE WHEN NEW.role = 'user' THEN
                    nullif(left(trim(regexp_replace(NEW.parts -> 0 ->> 'text', '\s+', ' ', 'g')), 80), '')
                END
            )
            WHERE c.id = NEW.chat_session_id;
    ELSE
        UPDATE chat_sessions c SET
            updated_at = now(),
            used_drive = c.used_drive OR jsonb_path_exists(
                NEW.parts,
                '$[*].type ? (@ == "tool-list_drive_folder" || @ == "tool-read_drive_file" || @ == "tool-search_drive")'
            )
            WHERE c.id = NEW.chat_session_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_chat_activity AFTER INSERT OR UPDATE OF parts ON messages
FOR EACH ROW EXECUTE FUNCTION leaf_chat_activity();

-- Keeps whether an answer is being written, whether one waits for its reader, and when the last one ended.
CREATE FUNCTION leaf_chat_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    chat uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.chat_session_id ELSE NEW.chat_session_id END;
    ended boolean := false;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        ended := NEW.role = 'assistant' AND OLD.status IN ('pending', 'streaming')
            AND NEW.status NOT IN ('pending', 'streaming');
    ELSIF TG_OP = 'INSERT' AND NEW.role = 'user' THEN
        -- A question in an archived chat takes the chat out of its asker's archive.
        UPDATE chat_participants p SET archived_at = NULL
            WHERE p.chat_session_id = chat AND p.user_id = NEW.user_id AND p.archived_at IS NOT NULL;
    END IF;
    UPDATE chat_sessions c SET
        begun = c.begun OR TG_OP = 'INSERT',
        running = open.running,
        waiting = open.waiting,
        answered_at = CASE WHEN ended THEN clock_timestamp() ELSE c.answered_at END
        FROM (
            SELECT
                coalesce(bool_or(m.status <> 'waiting'), false) AS running,
                coalesce(bool_or(m.status = 'waiting'), false) AS waiting
            FROM messages m
            WHERE m.chat_session_id = chat AND m.status NOT IN ('completed', 'error', 'stopped')
        ) open
        WHERE c.id = chat
        AND (ended OR (c.begun, c.running, c.waiting) IS DISTINCT FROM
            (c.begun OR TG_OP = 'INSERT', open.running, open.waiting));
    RETURN NULL;
END
$$;
CREATE TRIGGER messages_chat_marks AFTER INSERT OR DELETE OR UPDATE OF status ON messages
FOR EACH ROW EXECUTE FUNCTION leaf_chat_marks();

-- Fills in a new participant's list columns, and notes each change of the row.
CREATE FUNCTION leaf_participant_marks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT c.updated_at, c.begun AND c.deleted_at IS NULL INTO NEW.active_at, NEW.listed
            FROM chat_sessions c WHERE c.id = NEW.chat_session_id;
        -- Without a chat, the foreign key refuses the row.
        NEW.active_at := coalesce(NEW.active_at, now());
        NEW.listed := coalesce(NEW.listed, false);
    END IF;
    NEW.changed_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE TRIGGER chat_participants_marks BEFORE INSERT OR UPDATE ON chat_participants
FOR EACH ROW EXECUTE FUNCTION leaf_participant_marks();

-- Copies a change of the chat to the lists of all participants, and to the list of the site's conversations.
CREATE FUNCTION leaf_chat_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE chat_participants p SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE p.chat_session_id = NEW.id;
    UPDATE widget_chats w SET active_at = NEW.updated_at, listed = NEW.begun AND NEW.deleted_at IS NULL
        WHERE w.chat_session_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_sessions_listing
AFTER UPDATE OF title, updated_at, begun, running, waiting, answered_at, deleted_at ON chat_sessions
FOR EACH ROW WHEN (
    (OLD.title, OLD.updated_at, OLD.begun, OLD.running, OLD.waiting, OLD.answered_at, OLD.deleted_at)
    IS DISTINCT FROM
    (NEW.title, NEW.updated_at, NEW.begun, NEW.running, NEW.waiting, NEW.answered_at, NEW.deleted_at)
)
EXECUTE FUNCTION leaf_chat_listing();


-- Deletion

-- Deletes chats that the person created, for all participants; returns the ids of the chats that were deleted.
CREATE FUNCTION leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
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

-- Restores chats that the person has deleted, as long as they are not purged.
CREATE FUNCTION leaf_restore_chats(chats uuid[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE chat_sessions c SET deleted_at = NULL, deleted_by = NULL
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_restore_chats.chats) AND l.deleted_at IS NOT NULL AND l.deleted_by = leaf_user_id()
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;

-- The ids of deleted chats that the person's open pages still list.
CREATE FUNCTION leaf_deleted_chats(since timestamptz) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id FROM chat_participants p JOIN chat_sessions c ON c.id = p.chat_session_id
    WHERE p.user_id = leaf_user_id() AND p.changed_at >= leaf_deleted_chats.since AND c.deleted_at IS NOT NULL
$$;

-- Chats that were deleted long enough ago, with the runs whose keys in Redis must be removed first.
CREATE FUNCTION leaf_deleted_runs(older_than interval, most integer) RETURNS TABLE (chat_session_id uuid, run_ids uuid[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT c.id, array(
        SELECT m.workflow_run_id FROM messages m
        WHERE m.chat_session_id = c.id AND m.workflow_run_id IS NOT NULL
    )
    FROM chat_sessions c
    WHERE c.deleted_at <= now() - leaf_deleted_runs.older_than
    ORDER BY c.deleted_at LIMIT leaf_deleted_runs.most
$$;

-- Removes such a chat for good, with everything that belongs to it, unless it was restored in the meantime.
CREATE FUNCTION leaf_purge_chat(chat uuid, older_than interval) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH gone AS (
        DELETE FROM chat_sessions c
        WHERE c.id = leaf_purge_chat.chat AND c.deleted_at <= now() - leaf_purge_chat.older_than
        RETURNING c.id
    )
    SELECT EXISTS (SELECT FROM gone)
$$;

GRANT EXECUTE ON FUNCTION
    leaf_delete_chats(uuid[]),
    leaf_restore_chats(uuid[]),
    leaf_deleted_chats(timestamptz),
    leaf_deleted_runs(interval, integer),
    leaf_purge_chat(uuid, interval)
TO leaf_app;
