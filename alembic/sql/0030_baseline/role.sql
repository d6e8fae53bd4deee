-- The role of the application.
--
-- Leaf connects as the owner of the database and takes the role leaf_app in every transaction
-- (leaf/db/session.py). Row-level security applies to leaf_app, and leaf_app has only the rights that are granted in
-- these files. There are no default privileges: each migration grants what its own tables and functions need.

-- Roles belong to the cluster, not to the database: another database may have created the role already, or may be
-- creating it at this moment.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'leaf_app') THEN
        BEGIN
            CREATE ROLE leaf_app NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    -- SET ROLE needs membership. Superusers have it anyway; since PostgreSQL 16 the right to SET is separate.
    IF NOT pg_has_role(
        current_user,
        'leaf_app',
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END
    ) THEN
        EXECUTE format('GRANT leaf_app TO %I', current_user);
    END IF;
END
$$;

GRANT USAGE ON SCHEMA public TO leaf_app;

-- The person for whom the transaction acts. A setting that was once local to a pooled connection comes back as an
-- empty string instead of NULL.
CREATE FUNCTION leaf_user_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.user_id', true), '')::uuid;

GRANT EXECUTE ON FUNCTION leaf_user_id() TO leaf_app;

-- Functions that are SECURITY DEFINER run with the rights of the owner, above the policies. They cover what happens
-- before a person is known (sign-in, session look-up) and what a person may do or see across the rows of others. Their
-- search_path ends with pg_temp: otherwise a temporary table would be found before the real one.
