CREATE OR REPLACE FUNCTION leaf_admin_users(since date) RETURNS TABLE (
    user_id uuid, name text, email text, created_at timestamptz, last_seen_at timestamptz, chats bigint,
    tokens numeric, cost_usd numeric
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT
        u.id, coalesce(u.display_name, u.name)::text, u.email, u.created_at,
        (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id),
        (SELECT count(*) FROM chat_participants p WHERE p.user_id = u.id),
        coalesce(used.tokens, 0), coalesce(used.cost_usd, 0)
    FROM users u
    LEFT JOIN (
        SELECT e.user_id AS used_by, sum(e.input_tokens + e.output_tokens) AS tokens, sum(e.cost_usd) AS cost_usd
        FROM usage_entries e WHERE e.day >= leaf_admin_users.since GROUP BY e.user_id
    ) used ON used.used_by = u.id
    ORDER BY 7 DESC, u.created_at DESC
    LIMIT 1000;
END
$$;

DROP TRIGGER users_deleted ON users;
DELETE FROM users u USING visitors v WHERE v.user_id = u.id;
DELETE FROM tenants;
CREATE TRIGGER users_deleted AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION leaf_account_deleted();
DROP INDEX usage_entries_workspace_id_day_idx;
DROP POLICY sessions_no_visitor ON sessions;
DROP POLICY api_keys_no_visitor ON api_keys;
DROP POLICY integrations_no_visitor ON integrations;
DROP POLICY chat_shares_no_visitor ON chat_shares;
DROP POLICY chat_invitations_no_visitor ON chat_invitations;
DROP POLICY imports_no_visitor ON imports;
DROP TABLE widget_chats, visitors, signing_secrets, agent_keys, agents, tenant_invitations, tenant_members, tenants;
DROP FUNCTION
    leaf_is_member(uuid), leaf_is_visitor(), leaf_new_tenant(text), leaf_join_tenant(text), leaf_tenant_people(uuid),
    leaf_tenant_left(), leaf_tenant_deleted(), leaf_visitor_deleted(), leaf_public_agent(text),
    leaf_origin_allowed(text), leaf_visitor(uuid, text, text, boolean), leaf_agent_of_chat(uuid),
    leaf_tenant_standing(date), leaf_merge_visitor(uuid),
    leaf_tenant_chats(uuid, timestamptz, timestamptz, text, text, text, timestamptz, uuid, integer),
    leaf_tenant_messages(uuid), leaf_tenant_usage(uuid, date), leaf_expire_widget_chats();
