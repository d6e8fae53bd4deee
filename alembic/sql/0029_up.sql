-- A visitor's chat, for the members of the tenant whose agent answers in it.
CREATE FUNCTION leaf_tenant_chat(chat uuid) RETURNS TABLE (
    agent_id uuid, title text, kind text, subject text, context jsonb, started_at timestamptz, active_at timestamptz,
    archived boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT w.agent_id, coalesce(c.title, '')::text, v.kind, CASE WHEN v.kind = 'session' THEN '' ELSE v.subject END,
        w.context, w.created_at, p.active_at, p.archived_at IS NOT NULL
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN chat_participants p ON p.chat_session_id = c.id AND p.user_id = c.created_by
    JOIN visitors v ON v.user_id = c.created_by
    WHERE w.chat_session_id = leaf_tenant_chat.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;

-- How a run stands that writes in such a chat.
CREATE FUNCTION leaf_tenant_run(run uuid) RETURNS message_status
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.status
    FROM messages m
    JOIN widget_chats w ON w.chat_session_id = m.chat_session_id
    JOIN chat_sessions c ON c.id = w.chat_session_id
    WHERE m.workflow_run_id = leaf_tenant_run.run AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
$$;

REVOKE ALL ON FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid) TO leaf_app;
