DROP TRIGGER users_deleted ON users;
DROP FUNCTION leaf_account_deleted(), leaf_admin_security_events(integer), leaf_purge_security_events(integer);
DROP TABLE security_events;
