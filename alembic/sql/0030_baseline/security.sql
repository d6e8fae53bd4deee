-- Security events: what has happened that matters for the security of accounts.

-- The application adds and reads events, and nothing else. Only the network of an address is kept. The kinds are listed
-- in the program (leaf/services/security.py).
CREATE TABLE security_events (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL CONSTRAINT security_events_kind_check CHECK (kind ~ '^[a-z][a-z_]{1,40}$'),
    about text NOT NULL DEFAULT '' CONSTRAINT security_events_about_check CHECK (char_length(about) <= 100),
    network cidr CONSTRAINT security_events_network_check
        CHECK (masklen(network) <= CASE family(network) WHEN 4 THEN 24 ELSE 64 END),
    user_agent text NOT NULL DEFAULT ''
        CONSTRAINT security_events_user_agent_check CHECK (char_length(user_agent) <= 120),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX security_events_user_id_idx ON security_events (user_id, created_at DESC);
CREATE INDEX security_events_created_at_idx ON security_events (created_at DESC);

-- The database alone sets created_at.
GRANT SELECT, INSERT (id, user_id, kind, about, network, user_agent) ON security_events TO leaf_app;
ALTER TABLE security_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY security_events_select ON security_events FOR SELECT TO leaf_app
    USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY security_events_insert ON security_events FOR INSERT TO leaf_app
    WITH CHECK (user_id IS NOT DISTINCT FROM (SELECT leaf_user_id()));

-- A deleted account takes its events along; one anonymous event records that an account was deleted. Site visitors,
-- who have no e-mail address, are not accounts.
CREATE FUNCTION leaf_account_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO security_events (kind) VALUES ('account_deleted');
    RETURN NULL;
END
$$;
CREATE TRIGGER users_deleted AFTER DELETE ON users FOR EACH ROW WHEN (OLD.email <> '')
    EXECUTE FUNCTION leaf_account_deleted();

-- Removes old events. Recent ones cannot be removed, whatever the caller asks for.
CREATE FUNCTION leaf_purge_security_events(days integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    removed bigint;
BEGIN
    IF days IS NULL OR days < 7 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'security events are kept for a week at least';
    END IF;
    DELETE FROM security_events e WHERE e.created_at < now() - make_interval(days => days);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;

GRANT EXECUTE ON FUNCTION leaf_purge_security_events(integer) TO leaf_app;
