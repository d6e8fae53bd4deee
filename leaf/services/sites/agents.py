"""Agents of sites: their settings, the look of their widget, the tools of their pages, and a trial by a member."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, sites, texts
from leaf.db import models, storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool
from leaf.redis import events
from leaf.services import conversations
from leaf.services import models as model_service
from leaf.services.sites import visitors
from leaf.services.sites.settings import require, stored_name
from leaf.services.sites.visitors.identity import VisitorCaller, visitor
from leaf.sites import Context, Injection, SiteAgent

MOST_AGENTS: Final = 50
"""The largest number of agents of a site."""
PROMPT_CHARACTERS: Final = 20_000
WELCOME_CHARACTERS: Final = 1000
SUGGESTION_CHARACTERS: Final = 120
MOST_SUGGESTIONS: Final = 6
MOST_ORIGINS: Final = 50
_IDENTITIES: Final = ("any", "proven", "signed")
_MOST_MESSAGES: Final = 1_000_000


@dataclass(frozen=True)
class AgentRow:
    """An agent with the data that the site's team may see."""

    id: UUID
    site_id: UUID
    settings: dict[str, Any]
    """The settings that `change_agent` accepts."""

    @property
    def name(self) -> str:
        """Name of the agent."""
        return str(self.settings["name"])


async def create_agent(actor: Actor, site_id: UUID, name: str) -> UUID:
    """Creates an agent. Nobody can reach it yet, because it has no origins and no keys. Returns its id.

    Raises:
        errors.Invalid: The name is empty or too long, or the site has 50 agents.
        errors.NotFound: The site does not exist for this member.
    """
    row = models.Agent(site_id=site_id, name=stored_name(name))
    async with transaction(actor) as tx:
        await require(tx, site_id)
        count = select(func.count()).where(col(models.Agent.site_id) == site_id)
        if (await tx.session.exec(count)).one() >= MOST_AGENTS:
            raise errors.Invalid(texts.english("sites.too_many_agents", most=MOST_AGENTS), field="name")
        tx.session.add(row)
    return row.id


async def list_agents(actor: Actor, site_id: UUID) -> list[AgentRow]:
    """The agents of a site, the oldest first. Empty if the actor is not in the site's team."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Agent).where(col(models.Agent.site_id) == site_id)
        rows = (await tx.session.exec(query.order_by(col(models.Agent.created_at), col(models.Agent.id)))).all()
    return [_row(row) for row in rows]


async def read_agent(actor: Actor, agent_id: UUID) -> AgentRow:
    """An agent.

    Raises:
        errors.NotFound: The agent does not exist for this member.
    """
    async with transaction(actor, read_only=True) as tx:
        row = errors.found(await tx.session.get(models.Agent, agent_id), "agent")
    return _row(row)


async def change_agent(actor: Actor, agent_id: UUID, changes: dict[str, Any]) -> None:
    """Changes settings of an agent. They apply to answers that start afterwards.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        changes: New values for some of the fields in `_CHECKS`. Other fields stay.

    Raises:
        errors.Invalid: A value is invalid. The error names the field.
        errors.NotFound: The agent does not exist for this member.
    """
    values = {name: _checked(name, value) for name, value in changes.items()}
    async with transaction(actor) as tx:
        if "client_tools" in values:
            before = select(models.Agent.client_tools).where(col(models.Agent.id) == agent_id).with_for_update()
            _require_versions((await tx.session.exec(before)).one_or_none() or [], values["client_tools"])
        query = sqlalchemy.update(models.Agent).where(col(models.Agent.id) == agent_id)
        errors.found((await tx.session.exec(query.values(values | {"updated_at": utc_now()}))).rowcount, "agent")


async def delete_agent(actor: Actor, agent_id: UUID) -> None:
    """Deletes an agent at once, with its keys, visitors and chats.

    Raises:
        errors.NotFound: The agent does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = sqlalchemy.delete(models.Agent).where(col(models.Agent.id) == agent_id)
        errors.found((await tx.session.exec(query)).rowcount, "agent")
        tx.after_commit(events.publish, [events.agent(agent_id)])


def _row(row: models.Agent) -> AgentRow:
    return AgentRow(row.id, row.site_id, {name: getattr(row, name) for name in _CHECKS})


def _checked(name: str, value: Any) -> Any:
    """A setting in its stored form. Raises errors.Invalid for an invalid value."""
    check = _CHECKS.get(name)
    if check is None:
        raise _no_value(name)
    return check(name, value)


def _no_value(name: str) -> errors.Invalid:
    return errors.Invalid(texts.english("sites.no_value", name=name), field=name)


def _identity(name: str, value: Any) -> str:
    if value not in _IDENTITIES:
        raise _no_value(name)
    return value


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _no_value(name)
    return value


def _tools(name: str, value: Any) -> list[str]:
    chosen = {*_list(name, value, len(sites.TOOLS))}
    if chosen - {*sites.TOOLS}:
        raise _no_value(name)
    return [one for one in sites.TOOLS if one in chosen]


def _model(_name: str, value: Any) -> str | None:
    return model_service.chosen(str(value)).id if value else None


def _suggestions(name: str, value: Any) -> list[str]:
    suggestions = [_text(name, one, SUGGESTION_CHARACTERS) for one in _list(name, value, MOST_SUGGESTIONS)]
    return [one for one in suggestions if one]


def _injection(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _no_value(name)
    settings: dict[str, Any] = value
    return Injection.of(settings).as_json()


def _text(name: str, value: Any, most: int) -> str:
    text = storable.text(str(value)).strip()
    if len(text) > most:
        raise errors.Invalid(texts.english("sites.too_long", name=name, most=most), field=name)
    return text


def _number(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise errors.Invalid(texts.english("sites.out_of_range", name=name, least=least, most=most), field=name)
    return value


def _list(name: str, value: Any, most: int) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):  # pyright: ignore[reportUnknownVariableType]
        raise _no_value(name)
    values: list[str] = [*value]
    if len(values) > most:
        raise errors.Invalid(texts.english("sites.too_many_values", name=name, most=most), field=name)
    return values


_UNSAFE: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties", "format"})


def _keywords(value: Any) -> Iterator[str]:
    """All keys of objects in a JSON value, at any depth. A list replaces recursion, so that no depth is too large."""
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            named: dict[str, Any] = one
            yield from named
            waiting.extend(named.values())
        elif isinstance(one, list):
            waiting.extend(one)  # pyright: ignore[reportUnknownArgumentType]


def _schema(value: Any) -> dict[str, Any] | None:
    """A checked JSON schema for an object; None for an empty value. Raises errors.Invalid for any other value."""
    if not value:
        return None
    wrong = errors.Invalid(texts.english("sites.no_schema"), field="output_schema")
    if not isinstance(value, dict):
        raise wrong
    schema: dict[str, Any] = value
    # Workers check every answer with the schema. References can be endless or lead elsewhere, and patterns can be slow.
    if _UNSAFE & {*_keywords(schema)}:
        raise errors.Invalid(texts.english("sites.unsafe_schema"), field="output_schema")
    if schema.get("type") != "object" or client_tools.problem_of(schema):
        raise wrong
    return schema


_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "name": lambda _name, value: stored_name(str(value)),
    "system_prompt": lambda name, value: _text(name, value, PROMPT_CHARACTERS),
    "welcome": lambda name, value: _text(name, value, WELCOME_CHARACTERS),
    "model": _model,
    "temperature": lambda name, value: None if value is None else _number(name, value, 0, 2),
    "tools": _tools,
    "client_tools": lambda _name, value: checked_tools(value),
    "output_schema": lambda _name, value: _schema(value),
    "context_injection": _injection,
    "origins": lambda name, value: [*dict.fromkeys(map(sites.origin_of, _list(name, value, MOST_ORIGINS)))],
    "identity": _identity,
    "suggestions": _suggestions,
    "look": lambda _name, value: _checked_look(value),
    "visitor_daily": lambda name, value: int(_number(name, value, 1, _MOST_MESSAGES)),
    "agent_daily": lambda name, value: int(_number(name, value, 1, _MOST_MESSAGES)),
    "retention_days": lambda name, value: None if value is None else int(_number(name, value, 1, 3650)),
    "paused": _switch,
    "attachments": _switch,
    "provider_logs": _switch,
}
"""The settings of an agent. Each check returns the stored form of a value, or raises errors.Invalid."""


_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")
_LOOKS: Final = {
    "theme": ("auto", "light", "dark"),
    "position": ("right", "left"),
    "language": ("auto", *texts.NAMES),
}
_LARGEST_RADIUS: Final = 24
_LAUNCHER_CHARACTERS: Final = 40


def _checked_look(value: Any) -> dict[str, Any]:
    """The stored look of a widget: `accent`, `theme`, `position`, `language`, `radius`, `launcher`.

    Raises:
        errors.Invalid: A field is unknown or has an invalid value.
    """
    wrong = errors.Invalid(texts.english("sites.no_value", name="look"), field="look")
    if not isinstance(value, dict):
        raise wrong
    fields: dict[str, Any] = value
    look: dict[str, Any] = {}
    for name, one in fields.items():
        if one in ("", None):
            continue
        match name:
            case "accent" if isinstance(one, str) and _COLOUR.fullmatch(one.lower()):
                look[name] = one.lower()
            case "theme" | "position" | "language" if one in _LOOKS[name]:
                look[name] = one
            case "radius" if isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _LARGEST_RADIUS:
                look[name] = one
            case "launcher" if isinstance(one, str) and len(one) <= _LAUNCHER_CHARACTERS:
                look[name] = " ".join(storable.text(one).split())
            case _:
                raise wrong
    return look


_TOOLS_FIELD = "client_tools"
_TOOLS = TypeAdapter(list[ClientTool])
_SCHEMAS = ("inputSchema", "outputSchema")


def checked_tools(value: Any) -> list[dict[str, Any]]:
    """The tools of a site's pages in their stored form.

    Raises:
        errors.Invalid: A tool cannot be used, or two tools have the same name.
    """
    try:
        tools = _TOOLS.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise errors.Invalid(
            f"{_TOOLS_FIELD}{place}: {first['msg']}."[:500], field=f"{_TOOLS_FIELD}{place}"[:200]
        ) from error
    client_tools.declared(tools)
    return [tool.model_dump(mode="json") for tool in tools]


def _require_versions(before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> None:
    """Requires a higher version for a tool whose schemas change, because pages recognise a tool by its version.

    Raises:
        errors.Invalid: A tool has an older version than before, or other schemas with the same version.
    """
    known = {tool["name"]: tool for tool in before}
    for tool in now:
        old = known.get(tool["name"], tool)
        same = all(tool[field] == old[field] for field in _SCHEMAS)
        if tool["version"] < old["version"] or (not same and tool["version"] == old["version"]):
            refusal = texts.english("errors.tool_version", tool=tool["name"], version=old["version"])
            raise errors.Invalid(refusal, field=_TOOLS_FIELD)


SAMPLE: Final[Context] = {
    "pageUrl": "https://shop.example/orders/7",
    "referrer": "https://www.example.org/",
    "userAgent": "Mozilla/5.0 (X11; Linux x86_64)",
    "locale": "de-AT",
    "timezone": "Europe/Vienna",
    "customMetadata": {"plan": "pro"},
}
"""The context of a sample page, for trials and for the preview of the prompt."""


async def try_out(actor: Actor, agent_id: UUID, content: str) -> tuple[UUID, UUID]:
    """Asks an agent in a new chat. The turn counts and costs like a turn of a site visitor.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        content: The question, 1-8,000 characters.

    Returns:
        The id of the new chat, and the id of the run.

    Raises:
        errors.NotFound: The agent does not exist for this member.
        errors.LeafError: The question is refused for a reason that also applies to site visitors.
    """
    row = await read_agent(actor, agent_id)
    agent = SiteAgent.of({"id": str(row.id), "tenant_id": str(row.site_id), **row.settings})
    subject = str(actor.user_id)
    async with transaction(Actor.system()) as tx:
        found = await visitor(tx, agent.id, "member", subject, adds=True)
    who = VisitorCaller(agent, "member", subject, found)
    await visitors.count_chat(who, "")
    chat_id = await visitors.begin(who, SAMPLE)
    turn = await conversations.ask(who.required(), chat_id, content, terms=visitors.terms(who, {}, ""))
    if turn.assistant.run_id is None:
        raise errors.LeafError.unexpected()
    return chat_id, turn.assistant.run_id
