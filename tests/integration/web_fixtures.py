"""Leaf's HTTP routes in this process, a sandbox in another, and browsers between the two.

One database serves all tests: it is emptied before
each, which is much quicker than a fresh one.
"""

import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, LiteralString
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import httpx
import psycopg
import pytest
import pytest_asyncio
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Composed, Identifier

from leaf import api, config
from leaf import redis as leaf_redis
from leaf.callers import tokens
from leaf.db import Actor, models, session
from leaf.documents import isolation
from leaf.google import oauth
from leaf.services import accounts
from tests.integration.redis_fixtures import RedisServer
from tests.integration.sandbox_fixtures import SandboxProcess
from tests.postgres import PostgresServer

LEAF = "http://localhost:4555"
# Made once, since httpx would read all certificates anew for every client; nothing here speaks TLS.
_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TABLES = sorted(models.Base.metadata.tables)
_EMPTY = (
    "DELETE FROM users; DELETE FROM feedback; DELETE FROM security_events; DELETE FROM workspaces; "
    "DELETE FROM drive_texts"
)
_LEFT = SQL(" UNION ALL ").join(
    SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(table, Identifier(table)) for table in TABLES
)
"""The names of tables that hold rows."""
_LARGE = """
    SELECT relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 4000000
"""

Connection = psycopg.Connection[tuple[Any, ...]]


class Browser(httpx.AsyncClient):
    """One browser with its cookies: it reaches Leaf in this process, and everything else over HTTP."""

    def __init__(self, *, url: str = LEAF, pages_port: int | None = None, **options: Any) -> None:
        transport = httpx.ASGITransport(app=api.application(pages_port=pages_port))
        mounts = {"all://localhost": transport}
        super().__init__(base_url=url, mounts=mounts, trust_env=False, timeout=60, verify=_TLS, **options)

    @property
    def cookie_header(self) -> str:
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies.jar)

    async def session(self) -> accounts.Session:
        found = await accounts.session(self.cookie_header)
        assert found is not None, "this browser is not signed in"
        return found

    async def actor(self) -> Actor:
        return (await self.session()).actor

    async def consent(
        self, begun: httpx.Response, account: str, *, decision: str = "allow", granted: Iterable[str] | None = None
    ) -> str:
        """Answers the consent page that a redirect leads to; the address that it sends the browser back to."""
        address = begun.headers["location"]
        asked = dict(parse_qsl(urlsplit(address).query))
        page = await self.get(address)
        assert page.status_code == 200, page.text
        ticked = [oauth.DRIVE_SCOPE] if granted is None else list(granted)
        answer = await self.post(
            address.partition("?")[0],
            data={**asked, "account": account, "granted": ticked, "decision": decision},
            headers={"origin": str(page.url.copy_with(path="/", query=None)).rstrip("/")},
        )
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    async def sign_in(self, account: str = "ada", provider: str = "google") -> accounts.Session:
        back = await self.consent(await self.get(f"/auth/{provider}/start"), account)
        arrived = await self.get(back)
        assert arrived.headers["location"] == "/dashboard", arrived.headers["location"]
        return await self.session()

    async def connect(self, account: str = "ada", **answer: Any) -> str:
        """Connects a Drive; where the browser is sent to in the end."""
        back = await self.consent(await self.get("/auth/integrations/google-drive"), account, **answer)
        return (await self.get(back)).headers["location"]


@dataclass
class World:
    """An empty Leaf and a sandbox."""

    settings: config.Settings
    sandbox: SandboxProcess
    monkeypatch: pytest.MonkeyPatch
    as_owner: Connection
    http: httpx.Client
    """To the sandbox."""
    _faulty: bool = False
    """Whether the sandbox may still have a fault of this test."""

    def fault(self, **fault: Any) -> None:
        """The next answers of the sandbox on a path are not the usual ones."""
        self._faulty = True
        self.http.post("/sandbox/faults", json=fault).raise_for_status()

    def asked(self, path: str) -> list[dict[str, Any]]:
        """The requests to the sandbox so far whose path begins so."""
        logged = self.http.get("/sandbox/requests").json()["requests"]
        return [request for request in logged if request["path"].startswith(path)]

    def forget(self) -> None:
        """Makes the sandbox as good as new."""
        self.http.delete("/sandbox/past", params={"account": ["ada", "ben"]}).raise_for_status()

    def forget_faults(self) -> None:
        self.http.delete("/sandbox/faults").raise_for_status()
        self._faulty = False

    def leave(self) -> None:
        """Takes the faults back, because tests that have no world share the sandbox."""
        if self._faulty:
            self.forget_faults()

    def forget_requests(self) -> None:
        self.http.delete("/sandbox/requests").raise_for_status()

    def remove_access(self, account: str) -> None:
        """Removes Leaf's access, as a person does on the page of their Google account."""
        cookies = {"cookie": f"leaf_sandbox_account={account}"}
        self.http.post("/account", data={"do": "remove", "client_id": "leaf-sandbox"}, headers=cookies)

    def change(self, **update: Any) -> None:
        """Changes settings for the rest of the test."""
        self.settings = self.settings.model_copy(update=update)
        self.monkeypatch.setattr(config, "_current", self.settings)

    @asynccontextmanager
    async def browser(self, account: str | None = None, **options: Any) -> AsyncIterator[Browser]:
        """A new browser, signed in with one of the sandbox's accounts where one is named."""
        async with Browser(**options) as browser:
            if account is not None:
                await browser.sign_in(account)
            yield browser

    def sql(self, statement: LiteralString | Composed, *values: object) -> list[tuple[Any, ...]]:
        """Runs a statement as the owner of the tables, past all policies."""
        address = str(self.settings.database_url)
        if self.as_owner.info.dbname == conninfo_to_dict(address)["dbname"]:
            return _rows(self.as_owner, statement, values)
        with psycopg.connect(address, autocommit=True, row_factory=tuple_row) as connection:
            return _rows(connection, statement, values)

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self.sql(SQL("SELECT count(*) FROM {}").format(Identifier(table)))[0][0]

    def integration(self, user_id: UUID) -> dict[str, Any]:
        """The stored row of a person's Drive."""
        rows = self.sql("SELECT to_jsonb(i) FROM integrations i WHERE user_id = %s", user_id)
        assert len(rows) == 1, f"{len(rows)} integrations"
        return rows[0][0]


@pytest_asyncio.fixture(scope="session")
async def web_database(postgres: PostgresServer, template_database: str) -> AsyncIterator[str]:
    """The database of all worlds. Leaf's connections to it, with the statements that are compiled for them, and its
    readers of files stay from test to test.
    """
    name = postgres.create_database(template_database)
    yield postgres.url(name)
    isolation.close()
    await session.dispose()
    postgres.drop_database(name)


@pytest.fixture(scope="session")
def as_owner(web_database: str) -> Iterator[Connection]:
    """A connection past all policies, kept because PostgreSQL plans deletions anew for each, in 15 ms."""
    with psycopg.connect(web_database, autocommit=True, row_factory=tuple_row) as connection:
        yield connection


@pytest.fixture(scope="session")
def client_of() -> Iterator[Callable[[str], httpx.Client]]:
    """One client for each sandbox, which gives up a connection before the sandbox does and cuts off a request."""
    limits = httpx.Limits(keepalive_expiry=2)
    with ExitStack() as opened:

        @cache
        def client(url: str) -> httpx.Client:
            return opened.enter_context(httpx.Client(base_url=url, trust_env=False, verify=_TLS, limits=limits))

        yield client


def _rows(
    connection: Connection, statement: LiteralString | Composed, values: tuple[object, ...]
) -> list[tuple[Any, ...]]:
    cursor = connection.execute(statement, values)
    return cursor.fetchall() if cursor.description else []


def empty(owner: Connection) -> None:
    """Empties a database: this is done before each of some thousand tests."""
    if owner.execute(_LARGE).fetchall():
        # Deleted one by one, many rows take long, and every later look into their table passes over them.
        owner.execute(SQL("TRUNCATE {}").format(SQL(", ").join(map(Identifier, TABLES))))
    if owner.execute(_LEFT).fetchall():
        owner.execute(_EMPTY)
        assert owner.execute(_LEFT).fetchall() == []


@cache
def _settings(database_url: str, redis_url: str, sandbox_url: str) -> config.Settings:
    """The settings of a world; pydantic takes longer to make them than most tests need for a question."""
    return config.Settings(
        _env_file=None,
        database_url=database_url,
        redis_url=redis_url,
        sandbox_url=sandbox_url,
        titles=False,
        requests_per_minute=0,
        related_questions=False,
        secret=SECRET,
        seal_keys=f"test:{SEAL_KEY}",
    )


@pytest.fixture
async def world(
    web_database: str,
    as_owner: Connection,
    redis_server: RedisServer,
    sandbox_process: SandboxProcess,
    client_of: Callable[[str], httpx.Client],
    no_environment: None,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[World]:
    """An empty Leaf with its database, its Redis, and a sandbox that has no grants, faults or log."""
    made = _settings(web_database, redis_server.url, sandbox_process.url)
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setattr(config, "_current", made)
    found = World(made, sandbox_process, monkeypatch, as_owner, client_of(sandbox_process.url))
    empty(as_owner)
    await leaf_redis.client().flushall()
    found.http.cookies.clear()
    found.forget()
    yield found
    found.leave()
    await leaf_redis.close()


SECRET = tokens.new("test")
SEAL_KEY = tokens.new_seal_key()
