"""House rules that the catalogue must keep. Each message says what to do."""

from collections import defaultdict

import psycopg
import pytest

from tests.integration.rls_world import TABLES

_RIGHTS = {
    "users": {"SELECT"},
    "identities": {"SELECT"},
    "sessions": {"SELECT", "INSERT", "DELETE"},
    "api_keys": {"SELECT", "INSERT", "DELETE"},
    "workspaces": {"SELECT"},
    "workspace_members": {"SELECT"},
    "integrations": {"SELECT", "INSERT", "DELETE"},
    "chat_sessions": {"SELECT", "INSERT", "DELETE"},
    "chat_participants": {"SELECT", "INSERT", "DELETE"},
    "messages": {"SELECT", "INSERT"},
    "citations": {"SELECT"},
    "cell_edits": {"SELECT", "INSERT", "DELETE"},
    "documents": {"SELECT", "INSERT", "DELETE"},
    "drive_feeds": {"SELECT", "INSERT", "DELETE"},
    "drive_sight": {"SELECT", "INSERT", "DELETE"},
    "drive_texts": {"SELECT", "INSERT"},
    "drive_chunks": {"SELECT", "INSERT", "DELETE"},
    "drive_vectors": {"SELECT", "INSERT", "DELETE"},
    "chat_files": {"SELECT", "INSERT"},
    "chat_file_versions": {"SELECT", "INSERT", "DELETE"},
    "usage_entries": {"SELECT", "INSERT"},
    "chat_file_originals": {"SELECT", "INSERT", "DELETE"},
    "chat_summaries": {"SELECT", "INSERT"},
    "cold_messages": {"SELECT"},
    "search_words": {"SELECT"},
    "user_settings": {"SELECT", "INSERT"},
    "feedback": {"SELECT", "INSERT", "DELETE"},
    "chat_shares": {"SELECT", "DELETE"},
    "security_events": {"SELECT"},
    "chat_invitations": {"SELECT", "INSERT", "DELETE"},
    "queued_messages": {"SELECT", "INSERT", "DELETE"},
    "imports": {"SELECT", "INSERT", "DELETE"},
    "projects": {"SELECT", "INSERT", "DELETE"},
    "watches": {"SELECT", "INSERT", "DELETE"},
    "digests": {"SELECT", "INSERT"},
    "tenants": {"SELECT", "DELETE"},
    "tenant_members": {"SELECT", "DELETE"},
    "budget_alerts": {"SELECT"},
    "provider_logs": {"SELECT", "INSERT"},
    "tenant_invitations": {"SELECT", "INSERT", "DELETE"},
    "agents": {"SELECT", "INSERT", "DELETE"},
    "agent_keys": {"SELECT", "INSERT", "DELETE"},
    "agent_files": {"SELECT", "INSERT", "DELETE"},
    "agent_folders": {"SELECT", "INSERT", "DELETE"},
    "signing_secrets": {"SELECT", "INSERT", "DELETE"},
    "visitors": {"SELECT"},
    "widget_chats": {"SELECT", "INSERT"},
}
_UPDATABLE = {
    "users", "integrations", "chat_sessions", "chat_participants", "messages", "chat_files", "user_settings",
    "feedback", "chat_shares", "queued_messages", "imports", "tenants", "tenant_members", "agents", "signing_secrets",
    "widget_chats", "agent_files", "agent_folders", "drive_feeds", "drive_sight", "drive_texts",
    "projects", "citations", "watches", "digests",
}  # fmt: skip
"""Rights by column; `test_rls_attacks` tries the rights that `alembic/sql` grants."""


def _rows(database_url: str, query: str) -> list[tuple[str, ...]]:
    with psycopg.connect(database_url) as connection:
        return connection.execute(query).fetchall()


def test_every_table_has_row_level_security(database_url: str) -> None:
    """# 000-40"""
    rows = _rows(
        database_url,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname <> 'alembic_version' "
        "AND relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT (relkind IN ('r', 'p') AND relrowsecurity)",
    )
    assert rows == [], "enable row level security in the migration that makes the table, and give it policies"


def test_the_tables_are_those_of_the_models(database_url: str) -> None:
    rows = _rows(
        database_url,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
    )
    assert [name for (name,) in rows if name != "alembic_version"] == TABLES, (
        "a table without a model is not in the row-level security tests: add the model, and a row in rls_world.furnish"
    )


def test_every_policy_is_for_the_app_role_alone(database_url: str) -> None:
    rows = _rows(database_url, "SELECT tablename, policyname FROM pg_policies WHERE roles <> '{leaf_app}'")
    assert rows == [], "write TO leaf_app"


def test_the_app_role_has_these_rights_and_no_others(database_url: str) -> None:
    rights: dict[str, set[str]] = defaultdict(set)
    for table, right in _rows(
        database_url,
        "SELECT table_name, privilege_type FROM information_schema.table_privileges WHERE grantee = 'leaf_app'",
    ):
        rights[table].add(right)
    assert rights == _RIGHTS, "a new right needs a reason, a policy, and an attack in test_rls_attacks"
    columns = _rows(
        database_url,
        "SELECT DISTINCT table_name FROM information_schema.column_privileges "
        "WHERE grantee = 'leaf_app' AND privilege_type NOT IN ('SELECT', 'INSERT')",
    )
    assert {table for (table,) in columns} == _UPDATABLE


def test_the_public_has_no_rights_at_all(database_url: str) -> None:
    tables = _rows(
        database_url,
        "SELECT table_name, privilege_type FROM information_schema.table_privileges "
        "WHERE grantee = 'PUBLIC' AND table_schema = 'public'",
    )
    assert tables == []
    functions = _rows(
        database_url,
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND (proacl IS NULL OR EXISTS "
        "(SELECT FROM aclexplode(proacl) a WHERE a.grantee NOT IN (p.proowner, 'leaf_app'::regrole)))",
    )
    assert functions == [], "REVOKE ALL ON FUNCTION … FROM PUBLIC, then grant it to leaf_app"


def test_functions_with_the_owners_rights_pin_their_search_path(database_url: str) -> None:
    rows = _rows(
        database_url,
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef "
        "AND 'search_path=pg_catalog, public, pg_temp' <> ALL (coalesce(proconfig, '{}'))",
    )
    assert rows == [], "SET search_path = pg_catalog, public, pg_temp: a temporary table must not be found first"


_NAMING = ("user_id", "workspace_id", "run_id", "run_ids", "chat_session_id", "message_id", "import_id")
"""The columns that name members, and what belongs to them."""
_PROVED = {
    "leaf_api_key": "a key",
    "leaf_session_user": "a session's token",
    "leaf_shared_by": "a share's token",
    "leaf_sign_in": "an identity that its provider has proved",
    "leaf_visitor": "an agent that a site's key or token has named",
}
"""Functions that name a member to any caller, with the proof that the caller hands in."""


def test_functions_that_name_members_ask_who_calls(database_url: str) -> None:
    """A scheduler's functions answer the system alone, others only about what they may see. # 000-40"""
    rows = _rows(
        database_url,
        "SELECT DISTINCT proname::text, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace "  # noqa: S608
        "AND prosecdef AND prorettype <> 'trigger'::regtype AND has_function_privilege('leaf_app', oid, 'EXECUTE') "
        f"AND (proargnames && ARRAY{[*_NAMING]!r} OR proname LIKE '%owner' OR prorettype = 'uuid'::regtype)",
    )
    asks = ("leaf_user_id()", "leaf_is_", "leaf_require_administrator()")
    assert "leaf_run_owner" in {name for name, _ in rows}
    assert {name for name, source in rows if not any(one in source for one in asks)} <= _PROVED.keys(), (
        "add leaf_user_id() IS NULL to its conditions, as leaf_doctor_member does"
    )


def test_the_app_role_is_nobody_special(database_url: str) -> None:
    flags = "rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication"
    assert _rows(database_url, f"SELECT {flags} FROM pg_roles WHERE rolname = 'leaf_app'") == [(False,) * 6]  # noqa: S608
    assert _rows(database_url, "SELECT relname FROM pg_class WHERE relowner = 'leaf_app'::regrole") == [], (
        "an owner is above the policies of its table"
    )
    assert _rows(database_url, "SELECT 1 FROM pg_auth_members WHERE member = 'leaf_app'::regrole") == []


@pytest.mark.parametrize("column", ["chat_session_id", "user_id", "workspace_id", "created_by"])
def test_what_rows_are_deleted_with_has_an_index(database_url: str, column: str) -> None:
    """A deletion looks for the rows that refer to what goes. # 000-44"""
    rows = _rows(
        database_url,
        "SELECT attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "  # noqa: S608
        f"WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND attname = '{column}' "
        "AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indkey[0] = a.attnum)",
    )
    assert rows == []
