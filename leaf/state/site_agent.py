"""The page of one agent: its settings and its public keys."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import reflex as rx

from leaf import config, errors, texts
from leaf.db import Actor
from leaf.services import models, sites
from leaf.sites import FIELDS, TOOLS, Injection, SiteAgent, SiteChat, prompt
from leaf.state import notices, session
from leaf.state.page import Deletable, Page, id_in_path, whole_number
from leaf.state.session import ModelChoice

PATH: Final = "/agents/"
_TEXTS = ("name", "system_prompt", "model", "identity", "welcome")
_LISTS = ("origins", "suggestions")
_WHOLE = ("visitor_daily", "agent_daily", "retention_days")
_SWITCHES = ("attachments", "paused", "provider_logs")
_LOOK = {"accent": "", "theme": "auto", "position": "right", "language": "auto", "launcher": ""}
"""The settings that have the same name in the form, by their type. `_LOOK` also has the default values."""
PREVIEWED: Final = frozenset({"name", "welcome", "suggestions", "radius", *_LOOK})
"""The fields that the preview of the widget shows."""
_DRAFT_CHARACTERS: Final = 2000


@dataclass(frozen=True)
class KeyView:
    id: str
    name: str
    key: str
    snippet: str
    """The embedding code for a page of the site."""


@dataclass(frozen=True)
class Form:
    """An agent's settings as the fields of the form: strings, switches, and a list of checked boxes."""

    name: str = ""
    system_prompt: str = ""
    model: str = ""
    temperature: str = ""
    search: bool = False
    fetch: bool = False
    output_schema: str = ""
    page_tools: str = ""
    """The tools as JSON, in the form of `PUT /api/agents/{agent}/tools`; empty without tools."""
    origins: str = ""
    """One per line."""
    identity: str = "any"
    welcome: str = ""
    suggestions: str = ""
    """One per line."""
    accent: str = ""
    theme: str = ""
    position: str = ""
    language: str = ""
    launcher: str = ""
    radius: str = ""
    visitor_daily: str = ""
    agent_daily: str = ""
    retention_days: str = ""
    attachments: bool = False
    paused: bool = False
    provider_logs: bool = False
    context_fields: list[str] = field(default_factory=list[str])
    """The fields of a visitor's page that are passed to the model."""
    template: str = ""


def agent_of(state: rx.State) -> UUID:
    """The id of the agent of the open page.

    Raises:
        errors.NotFound: The path names no id.
    """
    return id_in_path(state, PATH, "agent")


class AgentPage(Page, mixin=True):
    """A part of an agent's page. `_show` reads and shows it."""

    problem: str = ""
    """The reason why the last change was refused; empty if it was not."""

    async def _read(self, actor: Actor) -> None:
        async with self:
            self.problem = ""
        await self._show(actor, agent_of(self))

    async def _show(self, actor: Actor, agent_id: UUID) -> None:
        raise NotImplementedError

    async def _refuse(self, error: errors.LeafError) -> None:
        async with self:
            self.problem = texts.translated(error.message)


class SiteAgentState(AgentPage, Deletable, rx.State):
    """The settings, keys and preview of an agent's page."""

    agent: str = ""
    name: str = ""
    form: Form = Form()
    keys: list[KeyView] = []  # noqa: RUF012 - Reflex copies it
    models: list[ModelChoice] = []  # noqa: RUF012
    preview: str = ""
    """The complete instructions of the model, with sample data of a visitor's page."""
    site: str = ""
    site_name: str = ""
    widget: str = ""
    """The texts and colours of the form for the widget's preview, as JSON in the form of `GET /api/site/agent`."""
    _draft: dict[str, str] = {}  # noqa: RUF012
    """The values of the form's fields in `PREVIEWED`, as they are typed."""

    @rx.event(background=True)
    async def save(self, given: dict[str, Any]):  # noqa: ANN201 - an event's generator
        """Saves the settings. If one is malformed, `problem` says which."""
        who = await session.required(self)
        try:
            await sites.change_agent(who.actor, agent_of(self), _without_untouched(changes_of(given), self.form))
        except errors.Invalid as error:
            await self._refuse(error)
            return
        await self._read(who.actor)
        yield notices.info(texts.say("sites.said_saved"))

    @rx.event
    def draft(self, name: str, value: str) -> None:
        """Shows a value in the preview of the widget while it is typed."""
        if name in PREVIEWED:
            self._draft = {**self._draft, name: value[:_DRAFT_CHARACTERS]}
            self.widget = widget_of(self._draft)

    @rx.event(background=True)
    async def create_key(self, given: dict[str, Any]) -> None:
        who = await session.required(self)
        await sites.create_key(who.actor, agent_of(self), str(given.get("name", "")))
        await self._show(who.actor, agent_of(self))

    @rx.event(background=True)
    async def revoke_key(self, key: str) -> None:
        who = await session.required(self)
        await sites.revoke_key(who.actor, session.identifier(key, "key"))
        await self._show(who.actor, agent_of(self))

    @rx.event(background=True)
    async def delete(self):  # noqa: ANN201 - an event's generator
        """Deletes the agent with all its data and opens the page of its site."""
        who = await session.required(self)
        agent_id = agent_of(self)
        site_id = (await sites.read_agent(who.actor, agent_id)).site_id
        await sites.delete_agent(who.actor, agent_id)
        yield rx.redirect(f"/sites/{site_id}")

    async def _show(self, actor: Actor, agent_id: UUID) -> None:
        row = await sites.read_agent(actor, agent_id)
        site = await sites.read(actor, row.site_id)
        keys = await sites.list_keys(actor, agent_id)
        titles = [one.title for one in await sites.list_knowledge(actor, agent_id)]
        form, shown = form_of(row.settings), preview_of(row, titles)
        offered = [ModelChoice(one.id, one.label) for one in models.offered()]
        async with self:
            self.loaded, self.agent, self.name = True, str(agent_id), row.name
            self.form, self.preview, self.models = form, shown, offered
            self.site, self.site_name, self.deleting = str(site.id), site.name, False
            self._draft = {name: str(getattr(form, name)) for name in PREVIEWED}
            self.widget = widget_of(self._draft)
            self.keys = [KeyView(str(one.id), one.name, one.key, snippet(one.key)) for one in keys]


def snippet(key: str) -> str:
    """The HTML that embeds the widget in a page of a site."""
    address = config.current().url
    return f'<script src="{address}/widget.js" data-api-key="{key}" async></script>'


def preview_of(row: sites.AgentRow, knowledge: Iterable[str] = ()) -> str:
    """The instructions of an agent's model at the beginning of a chat, with sample data of a visitor's page."""
    stored = {"id": str(row.id), "tenant_id": str(row.site_id), **row.settings}
    return prompt(SiteChat(SiteAgent.of(stored), sites.SAMPLE, tuple(knowledge)))


def widget_of(draft: Mapping[str, str]) -> str:
    """The texts and colours of the form as JSON for the attribute `preview` of `<leaf-chat>`."""
    radius = whole_number(draft.get("radius", "").strip())
    look = {name: draft.get(name, "") for name in ("accent", "theme", "position", "launcher")}
    shown = {
        "name": draft.get("name", ""),
        "welcome": draft.get("welcome", ""),
        "suggestions": _lines("suggestions", draft)[: sites.MOST_SUGGESTIONS],
        "language": draft.get("language", ""),
        "look": {**look, "radius": radius if 0 <= radius < 100 else None},
    }
    return json.dumps(shown, ensure_ascii=False)


def form_of(settings: Mapping[str, Any]) -> Form:
    look, injection = settings["look"], Injection.of(settings["context_injection"])
    schema = settings["output_schema"]
    tools = [{name: value for name, value in tool.items() if value is not None} for tool in settings["client_tools"]]
    by_type: dict[str, Any] = {
        **{name: settings[name] or "" for name in _TEXTS},
        **{name: "\n".join(settings[name]) for name in _LISTS},
        **{name: "" if settings[name] is None else str(settings[name]) for name in _WHOLE},
        **{name: settings[name] for name in _SWITCHES},
        **{name: look.get(name, default) for name, default in _LOOK.items()},
        **{tool: tool in settings["tools"] for tool in TOOLS},
    }
    return Form(
        **by_type,
        temperature=_number_text(settings["temperature"]),
        radius=_number_text(look.get("radius")),
        output_schema=_json(schema) if schema else "",
        page_tools=_json(tools) if tools else "",
        context_fields=sorted(injection.fields),
        template=injection.template,
    )


def changes_of(form: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a submitted form, as `sites.change_agent` takes them.

    Raises:
        errors.Invalid: A number or a JSON value is malformed.
    """
    look = {name: str(form.get(name, "")).strip() for name in _LOOK}
    context_fields: dict[str, Any] = {name: bool(form.get(f"told_{name}")) for name in FIELDS}
    return {
        **{name: str(form.get(name, "")) for name in _TEXTS},
        **{name: _lines(name, form) for name in _LISTS},
        **{name: _whole_number(name, form) for name in _WHOLE},
        **{name: bool(form.get(name)) for name in _SWITCHES},
        "temperature": _number("temperature", form),
        "tools": [tool for tool in TOOLS if form.get(f"tool_{tool}")],
        "output_schema": _parsed_json("output_schema", form, texts.english("sites.no_schema")),
        "client_tools": _page_tools(form),
        "context_injection": {**context_fields, "template": str(form.get("template", "")).strip()},
        "look": {**look, "radius": _whole_number("radius", form)},
    }


def _number_text(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def _lines(name: str, form: Mapping[str, Any]) -> list[str]:
    return [line.strip() for line in str(form.get(name, "")).splitlines() if line.strip()]


def _number(name: str, form: Mapping[str, Any]) -> float | None:
    text = str(form.get(name, "")).strip().replace(",", ".")
    if not text:
        return None
    try:
        return float(text[:20])
    except ValueError:
        raise errors.Invalid(texts.english("sites.no_value", name=name), field=name) from None


def _whole_number(name: str, form: Mapping[str, Any]) -> int | None:
    number = _number(name, form)
    if number is None:
        return None
    if not number.is_integer() or abs(number) > 1e9:
        raise errors.Invalid(texts.english("sites.no_value", name=name), field=name)
    return int(number)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _page_tools(form: Mapping[str, Any]) -> Any:
    refusal = texts.english("sites.no_page_tools")
    tools = _parsed_json("page_tools", form, refusal)
    if tools is not None and not isinstance(tools, list):
        raise errors.Invalid(refusal, field="page_tools")
    return tools or []


def _without_untouched(changes: dict[str, Any], shown: Form) -> dict[str, Any]:
    """The changes without two fields that programs also change, if the member has left them as they were shown."""
    untouched = {
        "client_tools": changes["client_tools"] == json.loads(shown.page_tools or "[]"),
        "attachments": changes["attachments"] == shown.attachments,
    }
    return {name: value for name, value in changes.items() if not untouched.get(name)}


def _parsed_json(name: str, form: Mapping[str, Any], refusal: str) -> Any:
    """The value of a JSON field, or None if the field is empty.

    Raises:
        errors.Invalid: The field has no JSON. `refusal` is the message.
    """
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise errors.Invalid(refusal, field=name) from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
