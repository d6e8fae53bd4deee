"""A chat begins with its first question: files alone no longer put it into lists, and are deleted after a while.

Chats that were listed for their files stay as they are.
"""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_DELETE = """
CREATE FUNCTION leaf_delete_unasked_chats(older_than interval, most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO pg_catalog, public, pg_temp
    AS $$
    WITH due AS (
        SELECT c.id
        FROM chat_sessions c, greatest(leaf_delete_unasked_chats.older_than, interval '1 hour') idle
        WHERE NOT c.begun AND c.updated_at <= now() - idle
            AND EXISTS (SELECT FROM chat_files f WHERE f.chat_session_id = c.id)
            AND NOT EXISTS (
                SELECT FROM chat_files f
                WHERE f.chat_session_id = c.id AND f.updated_at > now() - idle
            )
            AND NOT EXISTS (SELECT FROM chat_invitations i WHERE i.chat_session_id = c.id)
            AND (SELECT count(*) FROM chat_participants p WHERE p.chat_session_id = c.id) < 2
        LIMIT leaf_delete_unasked_chats.most
        FOR UPDATE OF c SKIP LOCKED
    ), gone AS (
        DELETE FROM chat_sessions c USING due WHERE c.id = due.id RETURNING c.id
    )
    SELECT count(*) FROM gone
$$
"""
_MARKS = """
CREATE FUNCTION leaf_chat_file_marks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO pg_catalog, public, pg_temp
    AS $$
BEGIN
    UPDATE chat_sessions c SET begun = true WHERE c.id = NEW.chat_session_id AND NOT c.begun;
    RETURN NULL;
END
$$
"""


def upgrade():
    op.execute("DROP TRIGGER chat_files_chat_marks ON chat_files")
    op.execute("DROP FUNCTION leaf_chat_file_marks()")
    op.execute("CREATE INDEX chat_sessions_unasked_idx ON chat_sessions (updated_at) WHERE NOT begun")
    op.execute(_DELETE)
    op.execute("REVOKE ALL ON FUNCTION leaf_delete_unasked_chats(interval, integer) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION leaf_delete_unasked_chats(interval, integer) TO leaf_app")


def downgrade():
    op.execute("DROP FUNCTION leaf_delete_unasked_chats(interval, integer)")
    op.execute("DROP INDEX chat_sessions_unasked_idx")
    op.execute(_MARKS)
    op.execute("REVOKE ALL ON FUNCTION leaf_chat_file_marks() FROM PUBLIC")
    op.execute(
        "CREATE TRIGGER chat_files_chat_marks AFTER INSERT ON chat_files "
        "FOR EACH ROW EXECUTE FUNCTION leaf_chat_file_marks()"
    )
    op.execute("UPDATE chat_sessions SET begun = true WHERE id IN (SELECT f.chat_session_id FROM chat_files f)")
