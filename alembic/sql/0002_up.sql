-- What a message does to its chat is done here, in the same statement as the message: a turn costs three writes.
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

REVOKE ALL ON FUNCTION leaf_chat_activity() FROM PUBLIC;

CREATE TRIGGER messages_chat_activity AFTER INSERT OR UPDATE OF parts ON messages
FOR EACH ROW EXECUTE FUNCTION leaf_chat_activity();
