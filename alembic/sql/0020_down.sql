DROP FUNCTION leaf_admin_health();
DROP INDEX messages_failed_idx;
DROP FUNCTION leaf_admin_failures(integer);
DROP FUNCTION leaf_admin_feedback(text, integer);
DROP FUNCTION leaf_admin_usage(date);
DROP FUNCTION leaf_admin_users(date);
DROP FUNCTION leaf_require_administrator();
DROP TABLE feedback;
