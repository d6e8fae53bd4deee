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
        NEW.workflow_run_id, 'answer', NEW.user_id, c.workspace_id, c.id, NEW.id, coalesce(NEW.model, ''),
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

CREATE OR REPLACE FUNCTION leaf_delete_chats(chats uuid[]) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    UPDATE chat_sessions c SET deleted_at = clock_timestamp(), deleted_by = leaf_user_id()
    WHERE c.id IN (
        SELECT l.id FROM chat_sessions l
        WHERE l.id = ANY (leaf_delete_chats.chats) AND leaf_is_participant(l.id)
        ORDER BY l.id FOR UPDATE
    )
    RETURNING c.id
$$;
ALTER POLICY chat_sessions_delete ON chat_sessions USING (leaf_is_participant(id));
DROP POLICY chat_participants_delete ON chat_participants;
REVOKE DELETE ON chat_participants FROM leaf_app;
DROP FUNCTION leaf_stop_answers(uuid, uuid);
DROP FUNCTION leaf_workspace_in(uuid);
DROP FUNCTION leaf_invited(uuid);
DROP FUNCTION leaf_decline_invitation(uuid);
DROP FUNCTION leaf_accept_invitation(uuid);
DROP FUNCTION leaf_my_invitations();
DROP FUNCTION leaf_participants(uuid);
DROP INDEX users_lower_email_idx;
DROP TRIGGER chat_sessions_move_words ON chat_sessions;
DROP FUNCTION leaf_move_words();
DROP TABLE chat_invitations;
