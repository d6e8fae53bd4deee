-- Stored passages of Drive files are shown to whom Google confirms, and a member can have no texts kept (decisions 0077, 0078).

-- The choice outlives the connection: whoever has stopped it is not indexed again by connecting again.
ALTER TABLE user_settings ADD COLUMN keeps_texts boolean NOT NULL DEFAULT true;
GRANT UPDATE (keeps_texts) ON user_settings TO leaf_app;

-- As before, but for members who have Leaf keep no texts.
CREATE OR REPLACE FUNCTION leaf_open_drive_feeds() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made bigint;
BEGIN
    INSERT INTO drive_feeds (user_id, workspace_id)
        SELECT DISTINCT ON (i.user_id) i.user_id, i.workspace_id FROM integrations i
        WHERE i.provider = 'google_drive' AND i.status = 'active'
            AND NOT EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = i.user_id AND f.drive_id = '')
            AND NOT EXISTS (SELECT FROM user_settings s WHERE s.user_id = i.user_id AND NOT s.keeps_texts)
        ORDER BY i.user_id, i.created_at
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN made;
END
$$;

-- A text that is kept for one member goes with that member's sight of its file.
CREATE FUNCTION leaf_forget_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM documents d USING before o WHERE d.user_id = o.user_id AND d.file_id = o.file_id;
    ELSE
        DELETE FROM documents d USING before o JOIN after n ON n.user_id = o.user_id AND n.file_id = o.file_id
            WHERE d.user_id = o.user_id AND d.file_id = o.file_id AND o.can_download AND NOT n.can_download;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION leaf_forget_documents() FROM PUBLIC;
CREATE TRIGGER drive_sight_deleted_documents AFTER DELETE ON drive_sight
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION leaf_forget_documents();
CREATE TRIGGER drive_sight_updated_documents AFTER UPDATE ON drive_sight
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION leaf_forget_documents();

-- As before, with the kind of each source and the id of its file: Google is asked about it when the link is opened.
CREATE OR REPLACE FUNCTION leaf_shared_parts(parts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT jsonb_build_object(
        'texts', coalesce(
            jsonb_agg(jsonb_build_object('slot', slot - 1, 'text', part ->> 'text') ORDER BY slot)
                FILTER (WHERE part ->> 'type' = 'text' AND slot <> ALL ((SELECT leaf_narration(parts))::bigint[])),
            '[]'
        ),
        'citations', (
            SELECT coalesce(
                jsonb_agg(jsonb_build_object(
                    'n', one -> 'n', 'verified', one -> 'verified', 'reason', one ->> 'reason', 'name', one ->> 'name',
                    'url', leaf_web_address(one ->> 'url'), 'part', one ->> 'part', 'quote', one ->> 'quote',
                    'at', one -> 'at', 'kind', one ->> 'kind', 'file_id', one ->> 'file_id'
                )),
                '[]'
            )
            FROM jsonb_path_query(
                parts,
                '$[*] ? (@.type == "data-citations").data[*] ? (@.n.type() == "number" && @.at.type() == "array")'
            ) one
        ),
        'coverage', (
            SELECT leaf_shared_coverage(one)
            FROM jsonb_path_query(parts, '$[*] ? (@.type == "data-coverage").data ? (@.type() == "object")') one
            LIMIT 1
        )
    )
    FROM jsonb_array_elements(parts) WITH ORDINALITY AS element (part, slot)
$$;
-- Links that are there keep their content; the files of their quotes are known by their addresses.

-- The member whose grant answers for the quotes behind a link.
CREATE FUNCTION leaf_shared_by(token text) RETURNS TABLE (user_id uuid, workspace_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
    SELECT s.created_by, c.workspace_id
    FROM chat_shares s JOIN chat_sessions c ON c.id = s.chat_session_id AND c.deleted_at IS NULL
    WHERE s.token = leaf_shared_by.token AND (s.expires_at IS NULL OR s.expires_at > now())
$$;
REVOKE ALL ON FUNCTION leaf_shared_by(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leaf_shared_by(text) TO leaf_app;
