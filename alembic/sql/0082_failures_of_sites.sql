-- The reasons for which answers in a site's chat have failed, for the team of the site: the key and the parameters of a
-- text, so that each reader has it in their own language. A new function, because the version before this one still
-- calls leaf_tenant_messages during an upgrade.
CREATE FUNCTION leaf_tenant_failures(chat uuid) RETURNS TABLE (id uuid, failure jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT m.id, m.metadata -> 'errorMessage'
    FROM widget_chats w
    JOIN chat_sessions c ON c.id = w.chat_session_id
    JOIN messages m ON m.chat_session_id = c.id
    WHERE w.chat_session_id = leaf_tenant_failures.chat AND leaf_is_member(w.tenant_id) AND c.deleted_at IS NULL
        AND m.metadata ? 'errorMessage'
$$;
REVOKE ALL ON FUNCTION leaf_tenant_failures(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_tenant_failures(uuid) TO leaf_app;
