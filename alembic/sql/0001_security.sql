-- Rights first, then rows. What is not granted here is refused: memberships and identities, for one, are written by
-- leaf_sign_in alone. Columns that say whose a row is are granted to INSERT only, so no UPDATE can move a row.
-- There is no default privilege for future tables: each migration grants what its own tables need.

GRANT USAGE ON SCHEMA public TO leaf_app;

GRANT SELECT, UPDATE (name, picture_url, updated_at) ON users TO leaf_app;
GRANT SELECT ON identities TO leaf_app;
GRANT SELECT, INSERT, DELETE ON sessions TO leaf_app;
GRANT SELECT ON workspaces TO leaf_app;
GRANT SELECT ON workspace_members TO leaf_app;
GRANT SELECT, INSERT, DELETE, UPDATE (
    status, status_reason, provider_account_email, access_token, refresh_token, token_expires_at, scopes, updated_at
) ON integrations TO leaf_app;
GRANT SELECT, INSERT, DELETE, UPDATE (title, used_drive, updated_at) ON chat_sessions TO leaf_app;
GRANT SELECT, INSERT ON chat_participants TO leaf_app;
GRANT SELECT, INSERT, UPDATE (
    parts, metadata, status, workflow_run_id, model, model_messages, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_usd, error_code, error_text, updated_at
) ON messages TO leaf_app;
GRANT SELECT, INSERT, DELETE ON documents TO leaf_app;

ALTER TABLE users ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_select ON users FOR SELECT TO leaf_app USING (id = (SELECT leaf_user_id()));
CREATE POLICY users_update ON users FOR UPDATE TO leaf_app
    USING (id = (SELECT leaf_user_id())) WITH CHECK (id = (SELECT leaf_user_id()));

ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY identities_select ON identities FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY sessions_select ON sessions FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY sessions_insert ON sessions FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY sessions_delete ON sessions FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

ALTER TABLE workspace_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_members_select ON workspace_members FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));

ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_select ON workspaces FOR SELECT TO leaf_app
    USING (id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id()));

ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY integrations_select ON integrations FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY integrations_insert ON integrations FOR INSERT TO leaf_app WITH CHECK (
    user_id = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY integrations_update ON integrations FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY integrations_delete ON integrations FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

-- Participation decides, not membership of the workspace: a colleague sees neither title nor content.
ALTER TABLE chat_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_sessions_select ON chat_sessions FOR SELECT TO leaf_app USING (leaf_is_participant(id));
CREATE POLICY chat_sessions_insert ON chat_sessions FOR INSERT TO leaf_app WITH CHECK (
    created_by = (SELECT leaf_user_id())
    AND workspace_id IN (SELECT m.workspace_id FROM workspace_members m WHERE m.user_id = leaf_user_id())
);
CREATE POLICY chat_sessions_update ON chat_sessions FOR UPDATE TO leaf_app
    USING (leaf_is_participant(id)) WITH CHECK (leaf_is_participant(id));
CREATE POLICY chat_sessions_delete ON chat_sessions FOR DELETE TO leaf_app USING (leaf_is_participant(id));

ALTER TABLE chat_participants ENABLE ROW LEVEL SECURITY;
CREATE POLICY chat_participants_select ON chat_participants FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY chat_participants_insert ON chat_participants FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_creator(chat_session_id));

-- The person in whose name a message is written is its asker, and only their worker finishes the answer.
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY messages_select ON messages FOR SELECT TO leaf_app USING (leaf_is_participant(chat_session_id));
CREATE POLICY messages_insert ON messages FOR INSERT TO leaf_app
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));
CREATE POLICY messages_update ON messages FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id))
    WITH CHECK (user_id = (SELECT leaf_user_id()) AND leaf_is_participant(chat_session_id));

ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY documents_select ON documents FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY documents_insert ON documents FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY documents_delete ON documents FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

REVOKE ALL ON FUNCTION
    leaf_user_id(),
    leaf_is_participant(uuid),
    leaf_is_creator(uuid),
    leaf_sign_in(text, text, text, text, text, text),
    leaf_session_user(text),
    leaf_touch_session(text, timestamptz),
    leaf_unfinished_runs(interval),
    leaf_run_owner(uuid)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    leaf_user_id(),
    leaf_is_participant(uuid),
    leaf_is_creator(uuid),
    leaf_sign_in(text, text, text, text, text, text),
    leaf_session_user(text),
    leaf_touch_session(text, timestamptz),
    leaf_unfinished_runs(interval),
    leaf_run_owner(uuid)
TO leaf_app;
