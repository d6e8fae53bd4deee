"""The MCP servers of the configuration file."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, model_validator

from leaf import errors
from leaf.config import addresses, sources

USUAL_FILE = Path(__file__).parents[2] / "config" / "mcp.toml"
OWN_PREFIXES = frozenset({"compare", "delete", "edit", "list", "read", "search", "write"})
"""The first words of Leaf's own tools. A server may not have such a name, because its tools would look like Leaf's."""
OWN_SECRETS = frozenset(
    {"DATABASE_URL", "GOOGLE_CLIENT_SECRET", "LEAF_SEAL_KEYS", "LEAF_SECRET", "LEAF_SIGN_IN_PROVIDERS", "REDIS_URL"}
)
"""Environment variables that no MCP server receives, even if its configuration names them."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TELLS_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
"""Matches names of variables that hold secrets. Values of other variables, such as a folder, may occur in results."""
_SECRET_CHARACTERS = 6
"""Only longer values are removed from logs, because shorter ones would match everywhere."""

ServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,23}$")]
Patterns = tuple[Annotated[str, Field(min_length=1, max_length=128)], ...]


class _Entry(BaseModel):
    """The entry of a server in the file. Names of tools may be patterns with `*`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = ""
    """The address of a server that speaks streamable HTTP."""
    headers: dict[str, str] = {}
    """The headers of each request. `${NAME}` stands for an environment variable."""
    command: str = ""
    """The program of a server that communicates over standard input and output."""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    """The environment variables that the program receives, besides basic ones such as PATH and HOME."""
    allow: Patterns = ("*",)
    """The tools that are offered."""
    deny: Patterns = ()
    """The tools that are not offered, even if `allow` matches them."""
    read_only: Patterns = ()
    """The tools that need no approval because they change nothing, even if the server does not say so."""
    writing: Patterns = ()
    """The tools that need approval, even if the server says that they change nothing."""
    start_seconds: float = Field(10, gt=0, le=120)
    """The time limit for connecting and listing the tools."""
    call_seconds: float = Field(60, gt=0, le=3600)
    """The time limit of a call. LEAF_TOOL_SECONDS limits it too."""
    result_characters: int = Field(20_000, ge=100, le=200_000)
    """The maximum number of characters of a result."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if bool(self.url) == bool(self.command):
            raise ValueError("needs either url or command")
        if self.url and not addresses.is_web_address(self.url):
            raise ValueError("url must be an http:// or https:// address")
        if (self.url and (self.args or self.env)) or (self.command and self.headers):
            raise ValueError("headers belong to url, args and env to command")
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    servers: dict[ServerName, _Entry] = {}


@dataclass(frozen=True)
class McpServer:
    """An MCP server, with the values of the variables that its configuration names."""

    name: str
    entry: _Entry = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = field(repr=False)
    """Values that must never be shown."""


class McpSettings(sources.EnvironmentSettings):
    """The setting for the file of the MCP servers."""

    mcp_file: Path | None = Field(None, validation_alias="LEAF_MCP_FILE")
    """A file like config/mcp.example.toml. If it is not set, config/mcp.toml is used if that exists."""

    @property
    def mcp_servers(self) -> tuple[McpServer, ...]:
        """The configured MCP servers.

        Raises:
            errors.ConfigurationError: The file is missing or malformed, or it names a variable that is not set.
        """
        if self.mcp_file is not None:
            return _read(self.mcp_file.expanduser())
        return _read(USUAL_FILE) if USUAL_FILE.is_file() else ()

    @property
    def mcp_problems(self) -> list[str]:
        """The problems of these settings, one line each."""
        try:
            _ = self.mcp_servers
        except errors.ConfigurationError as error:
            return error.problems
        return []


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[McpServer, ...]:
    file = sources.read(path, _File, "LEAF_MCP_FILE")
    known: dict[str, Any] = {**dotenv_values(".env"), **os.environ}
    problems = [problem for name, entry in file.servers.items() for problem in _problems(name, entry, known)]
    if problems:
        raise errors.ConfigurationError([f"LEAF_MCP_FILE: {path}: {problem}" for problem in problems])
    return tuple(_server(name, entry, known) for name, entry in file.servers.items())


def _problems(name: str, entry: _Entry, known: Mapping[str, Any]) -> list[str]:
    named = [*entry.env, *(one for value in entry.headers.values() for one in _VARIABLE.findall(value))]
    problems = [f"servers.{name}: the variable {one} is not set" for one in named if not known.get(one)]
    problems += [f"servers.{name}: {one} is Leaf's own secret" for one in named if one in OWN_SECRETS]
    if name in OWN_PREFIXES:
        problems.append(f"servers.{name}: tools of Leaf's own begin with this name; choose another one")
    return problems


def _server(name: str, entry: _Entry, known: Mapping[str, Any]) -> McpServer:
    headers = {key: _VARIABLE.sub(lambda found: str(known[found[1]]), value) for key, value in entry.headers.items()}
    environment = {one: str(known[one]) for one in entry.env}
    named = {str(known[one]) for value in entry.headers.values() for one in _VARIABLE.findall(value)}
    named |= {value for one, value in environment.items() if _TELLS_SECRET.search(one)}
    secrets = {value for value in {*headers.values(), *named} if len(value) > _SECRET_CHARACTERS}
    return McpServer(name, entry, headers, environment, frozenset(secrets))
