"""The settings of an agent, as a form."""

import reflex as rx

from leaf import sites, texts
from leaf.components.basics import Shown, banner, button, icon
from leaf.components.client import copy_button
from leaf.components.texts import t
from leaf.state.site_agent import SiteAgentState

_FORM: Shown = SiteAgentState.form


def agent_form() -> rx.Component:
    """All that can be set of an agent."""
    return rx.el.form(
        rx.cond(SiteAgentState.problem != "", banner("error", "circle-alert", SiteAgentState.problem)),
        _group(
            t("sites.answering"),
            _line("name", t("sites.agent_name")),
            _area("system_prompt", t("sites.system_prompt"), rows=10, note=t("sites.system_prompt_note")),
            _model(),
            _line("temperature", t("sites.temperature"), note=t("sites.temperature_note")),
            rx.el.fieldset(
                rx.el.legend(t("sites.tools")),
                _check("tool_search", t("sites.tool_search"), _FORM.search),
                _check("tool_fetch", t("sites.tool_fetch"), _FORM.fetch),
                class_name="key-scopes",
            ),
            _area("output_schema", t("sites.output_schema"), rows=4, note=t("sites.output_schema_note")),
            _area("page_tools", t("sites.page_tools"), rows=4, note=t("sites.page_tools_note")),
        ),
        _group(
            t("sites.reach"),
            _area("origins", t("sites.origins"), rows=3, note=t("sites.origins_note")),
            _choice("identity", t("sites.identity"), _identities()),
            _line("visitor_daily", t("sites.visitor_daily")),
            _line("agent_daily", t("sites.agent_daily")),
            _line("retention_days", t("sites.retention"), note=t("sites.retention_note")),
            _check("attachments", t("sites.attachments"), _FORM.attachments),
            _check("paused", t("sites.pause"), _FORM.paused),
            _check("provider_logs", t("insights.keep_logs"), _FORM.provider_logs),
            rx.el.p(t("insights.keep_logs_note"), class_name="small-note"),
        ),
        _group(
            t("sites.looks"),
            _area("welcome", t("sites.welcome"), rows=3),
            _area("suggestions", t("sites.suggestions"), rows=3, note=t("sites.suggestions_note")),
            _line("launcher", t("sites.launcher")),
            _line("accent", t("sites.accent"), note=t("sites.accent_note")),
            _choice("theme", t("settings.theme"), _themes()),
            _choice("position", t("sites.position"), {"right": t("sites.right"), "left": t("sites.left")}),
            _choice("language", t("settings.language"), {"auto": t("sites.auto"), **texts.NAMES}),
            _line("radius", t("sites.radius")),
        ),
        _group(
            t("sites.context"),
            rx.el.p(t("sites.context_note"), class_name="small-note"),
            rx.el.fieldset(
                rx.el.legend(t("sites.told")),
                *(_check(f"told_{name}", name, _FORM.told.contains(name)) for name in sites.FIELDS),
                class_name="key-scopes",
            ),
            _area("template", t("sites.template"), rows=3, note=t("sites.template_note", open="{{", close="}}")),
        ),
        button(t("common.save"), kind="primary", type="submit"),
        on_submit=SiteAgentState.save,
        class_name="agent-form",
        key=SiteAgentState.agent,
    )  # fmt: skip


def _identities() -> dict[str, Shown]:
    return {
        "any": t("sites.identity_any"),
        "proven": t("sites.identity_proven"),
        "signed": t("sites.identity_signed"),
    }


def _themes() -> dict[str, Shown]:
    return {"auto": t("sites.auto"), "light": t("sites.light"), "dark": t("sites.dark")}


def preview() -> rx.Component:
    """The complete instructions of the model before a chat begins."""
    return rx.el.details(
        rx.el.summary(t("sites.preview")),
        rx.el.p(t("sites.preview_note"), class_name="small-note"),
        rx.el.pre(SiteAgentState.preview, class_name="prompt-preview", tab_index=0),
    )


def public_keys() -> rx.Component:
    """The agent's public keys, with the code that embeds the widget."""
    return rx.el.div(
        rx.el.p(t("sites.keys_lead"), class_name="lead"),
        rx.el.ul(rx.foreach(SiteAgentState.keys, _key), class_name="session-list"),
        rx.el.form(
            rx.el.label(
                rx.el.span(t("keys.name")),
                rx.el.input(name="name", class_name="field", required=True, max_length=80, auto_complete="off"),
            ),
            button(t("sites.create_key"), type="submit"),
            on_submit=SiteAgentState.create_key,
            reset_on_submit=True,
            class_name="setting first create-key",
        ),
    )


def _key(row: Shown) -> rx.Component:
    return rx.el.li(
        icon("key-round", 18),
        rx.el.div(
            rx.el.strong(row.name),
            rx.el.p(rx.el.code(row.key, class_name="made-key public-key")),
            rx.el.p(rx.el.code(row.snippet, class_name="made-key")),
            copy_button(text=row.snippet, label=t("sites.copy_snippet")),
        ),
        button(
            t("keys.revoke"),
            once=True,
            on_click=SiteAgentState.revoke_key(row.id),
            aria_label=t("keys.revoke_named", name=row.name),
        ),
        key=row.id,
    )


def _group(title: Shown, *content: rx.Component) -> rx.Component:
    return rx.el.section(rx.el.h3(title), *content, class_name="card stack")


def _line(name: str, label: Shown, note: Shown | None = None) -> rx.Component:
    field = rx.el.input(
        name=name, id=f"agent-{name}", default_value=getattr(_FORM, name), class_name="field", auto_complete="off",
        key=getattr(_FORM, name),
    )  # fmt: skip
    return _field(name, label, field, note)


def _area(name: str, label: Shown, *, rows: int, note: Shown | None = None) -> rx.Component:
    field = rx.el.textarea(
        name=name, id=f"agent-{name}", default_value=getattr(_FORM, name), rows=str(rows), class_name="field area",
        key=getattr(_FORM, name),
    )  # fmt: skip
    return _field(name, label, field, note)


def _choice(name: str, label: Shown, choices: dict[str, Shown]) -> rx.Component:
    options = [rx.el.option(text, value=value) for value, text in choices.items()]
    chosen = getattr(_FORM, name)
    field = rx.el.select(*options, name=name, id=f"agent-{name}", default_value=chosen, class_name="field", key=chosen)
    return _field(name, label, field, None)


def _option(one: Shown) -> rx.Component:
    return rx.el.option(one.label, value=one.id)


def _model() -> rx.Component:
    options = rx.foreach(SiteAgentState.models, _option)
    field = rx.el.select(
        rx.el.option(t("sites.usual_model"), value=""),
        options,
        name="model",
        id="agent-model",
        default_value=_FORM.model,
        class_name="field",
        key=_FORM.model,
    )
    return _field("model", t("sites.model"), field, None)


def _field(name: str, label: Shown, field: rx.Component, note: Shown | None) -> rx.Component:
    notes = [] if note is None else [rx.el.p(note, class_name="small-note")]
    return rx.el.div(rx.el.label(label, html_for=f"agent-{name}"), field, *notes, class_name="setting wide")


def _check(name: str, label: Shown, checked: Shown) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="checkbox", name=name, default_checked=checked, key=f"{name}-" + checked.to(str)), label
    )
