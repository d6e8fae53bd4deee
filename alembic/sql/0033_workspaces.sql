-- Every sign-in ensures the personal workspace of the member and the membership in it.

CREATE FUNCTION leaf_ensure_workspace(person uuid, called text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    workspace uuid;
BEGIN
    SELECT w.id INTO workspace FROM workspaces w WHERE w.personal_user_id = person;
    IF workspace IS NULL THEN
        INSERT INTO workspaces (name, personal_user_id)
            VALUES (left(called, 200) || '''s Workspace', person) RETURNING id INTO workspace;
    END IF;
    INSERT INTO workspace_members (workspace_id, user_id) VALUES (workspace, person) ON CONFLICT DO NOTHING;
END
$$;
-- For leaf_sign_in alone.
REVOKE ALL ON FUNCTION leaf_ensure_workspace(uuid, text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION leaf_sign_in(
    provider text, subject text, email text, name text, first_name text, picture_url text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    person uuid;
    called text := coalesce(
        nullif(trim(leaf_sign_in.first_name), ''),
        nullif(split_part(trim(leaf_sign_in.name), ' ', 1), ''),
        split_part(leaf_sign_in.email, '@', 1)
    );
BEGIN
    -- Simultaneous first sign-ins wait for one another here; the later ones then find the identity.
    PERFORM pg_advisory_xact_lock(hashtextextended(leaf_sign_in.provider || ' ' || leaf_sign_in.subject, 0));
    SELECT i.user_id INTO person FROM identities i
        WHERE i.provider = leaf_sign_in.provider AND i.subject = leaf_sign_in.subject;
    IF person IS NOT NULL THEN
        UPDATE identities i SET email = leaf_sign_in.email, updated_at = now()
            WHERE i.provider = leaf_sign_in.provider AND i.subject = leaf_sign_in.subject
            AND i.email <> leaf_sign_in.email;
        UPDATE users u SET email = leaf_sign_in.email, name = leaf_sign_in.name,
            picture_url = leaf_sign_in.picture_url, updated_at = now()
            WHERE u.id = person AND (u.email, u.name, u.picture_url)
            IS DISTINCT FROM (leaf_sign_in.email, leaf_sign_in.name, leaf_sign_in.picture_url);
        DELETE FROM sessions s WHERE s.user_id = person AND s.expires_at <= now();
        PERFORM leaf_ensure_workspace(person, called);
        RETURN person;
    END IF;
    INSERT INTO users (email, name, picture_url)
        VALUES (leaf_sign_in.email, leaf_sign_in.name, leaf_sign_in.picture_url) RETURNING id INTO person;
    INSERT INTO identities (user_id, provider, subject, email)
        VALUES (person, leaf_sign_in.provider, leaf_sign_in.subject, leaf_sign_in.email);
    PERFORM leaf_ensure_workspace(person, called);
    RETURN person;
END
$$;
