-- The list of every participant shows at once that a source has changed, not only that of the member who asked.
CREATE OR REPLACE FUNCTION leaf_quotes_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE chat_participants p SET changed_at = now() FROM (
        SELECT o.chat_session_id, o.user_id FROM chat_participants o
        WHERE o.chat_session_id = NEW.chat_session_id ORDER BY o.user_id FOR UPDATE
    ) each
    WHERE p.chat_session_id = each.chat_session_id AND p.user_id = each.user_id;
    RETURN NULL;
END
$$;

-- So does the list of a member into whose sight a source has come, or gone out of it.
CREATE INDEX citations_file_id_idx ON citations (file_id);
CREATE FUNCTION leaf_touch_lists(person uuid, files text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE chat_participants p SET changed_at = now() FROM (
        SELECT o.chat_session_id FROM chat_participants o
        WHERE o.user_id = person AND o.chat_session_id IN (
            SELECT c.chat_session_id FROM citations c WHERE c.file_id = ANY (files)
        )
        ORDER BY o.chat_session_id FOR UPDATE
    ) each
    WHERE p.chat_session_id = each.chat_session_id AND p.user_id = person
$$;
REVOKE ALL ON FUNCTION leaf_touch_lists(person uuid, files text[]) FROM PUBLIC;
CREATE FUNCTION leaf_sight_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM leaf_touch_lists(n.user_id, array_agg(n.file_id))
            FROM before o JOIN files n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE n.can_download <> o.can_download GROUP BY n.user_id;
    ELSE
        PERFORM leaf_touch_lists(f.user_id, array_agg(f.file_id)) FROM files f GROUP BY f.user_id;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_sight_changed() FROM PUBLIC;
CREATE TRIGGER drive_sight_deleted_lists AFTER DELETE ON drive_sight
    REFERENCING OLD TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
CREATE TRIGGER drive_sight_inserted_lists AFTER INSERT ON drive_sight
    REFERENCING NEW TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
CREATE TRIGGER drive_sight_updated_lists AFTER UPDATE ON drive_sight
    REFERENCING OLD TABLE AS before NEW TABLE AS files FOR EACH STATEMENT EXECUTE FUNCTION leaf_sight_changed();
