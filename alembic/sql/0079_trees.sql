-- The messages of a chat without their contents, in order of creation: rights are checked once and not for each message.
-- With `since`, those alone that have changed after it, and those that a summary ends with.
CREATE FUNCTION leaf_tree(chat uuid, since timestamptz) RETURNS TABLE(
    id uuid, parent_id uuid, updated_at timestamptz, summarised boolean
)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.parent_id, m.updated_at, s.message_id IS NOT NULL
    FROM messages m LEFT JOIN chat_summaries s ON s.message_id = m.id
    WHERE m.chat_session_id = leaf_tree.chat AND leaf_is_participant(leaf_tree.chat)
        AND (leaf_tree.since IS NULL OR m.updated_at > leaf_tree.since OR s.message_id IS NOT NULL)
    ORDER BY m.position
$$;
REVOKE ALL ON FUNCTION leaf_tree(chat uuid, since timestamptz) FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_tree(chat uuid, since timestamptz) TO leaf_app;
