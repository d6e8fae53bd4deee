"""Agents of sites and their settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, sites, texts
from leaf.db import models, storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import models as model_service
from leaf.services.sites import page_tools
from leaf.services.sites.look import checked_look
from leaf.services.sites.team import named, require
from leaf.sites import Injection

MOST: Final = 50
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
    """An agent as the site's team sees it."""

    id: UUID
    site_id: UUID
    settings: dict[str, Any]
    """The settings that `change_agent` accepts."""

    @property
    def name(self) -> str:
        """Name of the agent."""
        return str(self.settings["name"])


async def create_agent(actor: Actor, site_id: UUID, name: str) -> UUID:
    """Creates an agent, which nobody can reach yet because it has no origins and keys.

    Raises:
        errors.Invalid: The name is empty or too long, or the site has 50 agents.
        errors.NotFound: The site does not exist for this member.
    """
    row = models.Agent(site_id=site_id, name=named(name))
    async with transaction(actor) as tx:
        await require(tx, site_id)
        count = select(func.count()).where(col(models.Agent.site_id) == site_id)
        if (await tx.session.exec(count)).one() >= MOST:
            raise errors.Invalid(texts.english("sites.too_many_agents", most=MOST), field="name")
        tx.session.add(row)
    return row.id


async def list_agents(actor: Actor, site_id: UUID) -> list[AgentRow]:
    """The agents of a site, the oldest first; empty for others than the team."""
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
        row = await tx.session.get(models.Agent, agent_id)
    if row is None:
        raise errors.NotFound("agent")
    return _row(row)


async def change_agent(actor: Actor, agent_id: UUID, changes: dict[str, Any]) -> None:
    """Changes settings of an agent; they apply to answers that start afterwards.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        changes: Some of the fields in `_CHECKS`; others stay.

    Raises:
        errors.Invalid: A value is invalid; the error names the field.
        errors.NotFound: The agent does not exist for this member.
    """
    values = {name: _checked(name, value) for name, value in changes.items()}
    async with transaction(actor) as tx:
        if "client_tools" in values:
            before = select(models.Agent.client_tools).where(col(models.Agent.id) == agent_id).with_for_update()
            page_tools.require_versions((await tx.session.exec(before)).one_or_none() or [], values["client_tools"])
        query = sqlalchemy.update(models.Agent).where(col(models.Agent.id) == agent_id)
        if not (await tx.session.exec(query.values(values | {"updated_at": utc_now()}))).rowcount:
            raise errors.NotFound("agent")


async def delete_agent(actor: Actor, agent_id: UUID) -> None:
    """Deletes an agent with its keys, visitors and chats at once.

    Raises:
        errors.NotFound: The agent does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = sqlalchemy.delete(models.Agent).where(col(models.Agent.id) == agent_id)
        if not (await tx.session.exec(query)).rowcount:
            raise errors.NotFound("agent")
        tx.after_commit(lambda: events.publish([events.agent(agent_id)]))


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
    given = [_text(name, one, SUGGESTION_CHARACTERS) for one in _list(name, value, MOST_SUGGESTIONS)]
    return [one for one in given if one]


def _injection(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _no_value(name)
    given: dict[str, Any] = value
    return Injection.of(given).as_json()


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
    given: list[str] = [*value]
    if len(given) > most:
        raise errors.Invalid(texts.english("sites.too_many_values", name=name, most=most), field=name)
    return given


_UNSAFE: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties", "format"})


def _keywords(value: Any) -> Iterator[str]:
    """All names in a JSON value; as deep as JSON itself could be read."""
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
    """A JSON schema of an object, or None."""
    if not value:
        return None
    wrong = errors.Invalid(texts.english("sites.no_schema"), field="output_schema")
    if not isinstance(value, dict):
        raise wrong
    schema: dict[str, Any] = value
    import jsonschema

    # References can be endless or lead elsewhere, and patterns can take for ever: workers check every answer by it.
    if _UNSAFE & {*_keywords(schema)}:
        raise errors.Invalid(texts.english("sites.unsafe_schema"), field="output_schema")
    if schema.get("type") != "object" or len(storable.json_text(schema)) > PROMPT_CHARACTERS:
        raise wrong
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise wrong from error
    return schema


_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "name": lambda _name, value: named(str(value)),
    "system_prompt": lambda name, value: _text(name, value, PROMPT_CHARACTERS),
    "welcome": lambda name, value: _text(name, value, WELCOME_CHARACTERS),
    "model": _model,
    "temperature": lambda name, value: None if value is None else _number(name, value, 0, 2),
    "tools": _tools,
    "client_tools": lambda _name, value: page_tools.checked(value),
    "output_schema": lambda _name, value: _schema(value),
    "context_injection": _injection,
    "origins": lambda name, value: [*dict.fromkeys(map(sites.origin_of, _list(name, value, MOST_ORIGINS)))],
    "identity": _identity,
    "suggestions": _suggestions,
    "look": lambda _name, value: checked_look(value),
    "visitor_daily": lambda name, value: int(_number(name, value, 1, _MOST_MESSAGES)),
    "agent_daily": lambda name, value: int(_number(name, value, 1, _MOST_MESSAGES)),
    "retention_days": lambda name, value: None if value is None else int(_number(name, value, 1, 3650)),
    "paused": _switch,
    "attachments": _switch,
    "provider_logs": _switch,
}
"""The settings of an agent, and their checks."""
