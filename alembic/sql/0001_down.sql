-- The role stays: other databases of the cluster may use it.
DROP TABLE documents, messages, chat_participants, chat_sessions, integrations, workspace_members, workspaces, sessions,
    identities, users;
DROP FUNCTION
    leaf_user_id(),
    leaf_is_participant(uuid),
    leaf_is_creator(uuid),
    leaf_sign_in(text, text, text, text, text, text),
    leaf_session_user(text),
    leaf_touch_session(text, timestamptz),
    leaf_unfinished_runs(interval),
    leaf_run_owner(uuid);
DROP TYPE integration_provider, integration_status, message_role, message_status;
REVOKE USAGE ON SCHEMA public FROM leaf_app;
