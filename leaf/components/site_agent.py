"""The page of a site's agent: the form with its settings, previews, a playground, and its public keys."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from leaf import sites, texts
from leaf.components import forms, links, markdown
from leaf.components.basics import Shown, banner, button, each, icon, list_or
from leaf.components.client import widget_preview
from leaf.components.controls import copy_button
from leaf.components.keys import revoke_button
from leaf.components.sites import one_line
from leaf.components.texts import t
from leaf.state.playground import PlaygroundState
from leaf.state.site_agent import PREVIEWED, SiteAgentState

_FORM: Shown = SiteAgentState.form


def agent_form() -> rx.Component:
    """The form with all settings of an agent, next to a preview of its widget."""
    identities = {
        "any": t("sites.identity_any"),
        "proven": t("sites.identity_proven"),
        "signed": t("sites.identity_signed"),
    }
    return rx.el.form(
        _looks(),
        _widget(),
        _group(
            t("sites.answering"),
            _area("system_prompt", t("sites.system_prompt"), rows=10, note=t("sites.system_prompt_note")),
            _choice(
                "model", t("sites.model"), {"": t("sites.usual_model")}, rx.foreach(SiteAgentState.models, _option)
            ),
            _line("temperature", t("sites.temperature"), note=t("sites.temperature_note")),
            rx.el.fieldset(
                rx.el.legend(t("sites.tools")),
                _check("tool_search", t("sites.tool_search"), _FORM.search),
                _check("tool_fetch", t("sites.tool_fetch"), _FORM.fetch),
                class_name="checks",
            ),
            _area("output_schema", t("sites.output_schema"), rows=4, note=t("sites.output_schema_note")),
            _area("page_tools", t("sites.page_tools"), rows=4, note=t("sites.page_tools_note")),
        ),
        _group(
            t("sites.reach"),
            _area("origins", t("sites.origins"), rows=3, note=t("sites.origins_note")),
            _choice("identity", t("sites.identity"), identities),
            _line("visitor_daily", t("sites.visitor_daily")),
            _line("agent_daily", t("sites.agent_daily")),
            _line("retention_days", t("sites.retention"), note=t("sites.retention_note")),
            rx.el.div(
                _check("attachments", t("sites.attachments"), _FORM.attachments),
                _check("paused", t("sites.pause"), _FORM.paused),
                _check("provider_logs", t("insights.keep_logs"), _FORM.provider_logs),
                class_name="checks",
            ),
            rx.el.p(t("insights.keep_logs_note"), class_name="small-note"),
        ),
        _group(
            t("sites.context"),
            rx.el.p(t("sites.context_note"), class_name="small-note"),
            rx.el.fieldset(
                rx.el.legend(t("sites.told")),
                *(_check(f"told_{name}", name, _FORM.context_fields.contains(name)) for name in sites.FIELDS),
                class_name="checks",
            ),
            _area("template", t("sites.template"), rows=3, note=t("sites.template_note", open="{{", close="}}")),
        ),
        rx.cond(SiteAgentState.problem != "", banner("error", "circle-alert", SiteAgentState.problem)),
        button(t("common.save"), kind="primary", type="submit"),
        on_submit=SiteAgentState.save,
        class_name="agent-form",
        key=SiteAgentState.agent,
    )  # fmt: skip


def _looks() -> rx.Component:
    themes = {"auto": t("sites.auto"), "light": t("sites.light"), "dark": t("sites.dark")}
    return _group(
        t("sites.looks"),
        _line("name", t("sites.agent_name")),
        _area("welcome", t("sites.welcome"), rows=3, note=t("sites.welcome_note")),
        _area("suggestions", t("sites.suggestions"), rows=3, note=t("sites.suggestions_note")),
        _line("launcher", t("sites.launcher")),
        _line("accent", t("sites.accent"), note=t("sites.accent_note")),
        _choice("theme", t("settings.theme"), themes),
        _choice("position", t("sites.position"), {"right": t("sites.right"), "left": t("sites.left")}),
        _choice("language", t("settings.language"), {"auto": t("sites.auto"), **texts.NAMES}),
        _line("radius", t("sites.radius")),
    )


def _widget() -> rx.Component:
    """A preview of the widget with the texts and colours of the form. It does not react to input."""
    return rx.el.aside(
        rx.el.h3(t("sites.widget_preview")),
        widget_preview(preview=SiteAgentState.widget, inert=True),
        # A browser loads the script only once, even if the page is opened several times.
        rx.el.script(src=links.backend("/widget.js"), custom_attrs={"async": True}),
        aria_label=t("sites.widget_preview"),
        class_name="widget-preview",
    )


def preview() -> rx.Component:
    """The complete instructions that the model receives before a chat begins."""
    return rx.el.section(
        rx.el.details(
            rx.el.summary(t("sites.preview")),
            rx.el.p(t("sites.preview_note"), class_name="small-note"),
            rx.el.pre(SiteAgentState.preview, class_name="prompt-preview", tab_index=0),
        ),
        class_name="card stack",
    )


def playground() -> rx.Component:
    """A form that asks the agent a question, and the answer as text."""
    return rx.el.section(
        rx.el.h3(t("sites.try_out")),
        rx.el.p(t("sites.try_out_note"), class_name="lead"),
        rx.el.form(
            rx.el.label(t("sites.question"), html_for="playground-question"),
            rx.el.div(
                forms.line(
                    name="content", id="playground-question", required=True, max_length=8000, auto_complete="off"
                ),
                button(t("sites.ask"), kind="primary", type="submit", disabled=PlaygroundState.busy),
                class_name="field-row",
            ),
            on_submit=PlaygroundState.ask,
            class_name="setting first",
        ),
        rx.cond(
            PlaygroundState.asked != "",
            rx.el.div(
                rx.el.p(rx.el.strong(PlaygroundState.asked)),
                rx.el.p(each(PlaygroundState.tools, lambda name: rx.el.span(name, class_name="tag"))),
                rx.el.div(
                    markdown.text(blocks=PlaygroundState.blocks, run="", slot=0, growing=PlaygroundState.busy),
                    class_name="event-answer playground-answer",
                ),
                rx.cond(PlaygroundState.lost, rx.el.p(t("common.reconnecting"), class_name="lead")),
                rx.cond(PlaygroundState.untaken, rx.el.p(t("chat.untaken"), class_name="lead")),
                rx.cond(PlaygroundState.problem != "", banner("error", "circle-alert", PlaygroundState.problem)),
                aria_live="polite",
                class_name="playground-turn",
            ),
        ),
        class_name="card stack",
    )  # fmt: skip


def public_keys() -> rx.Component:
    """The agent's public keys, each with the HTML code that embeds the widget."""
    return rx.el.section(
        rx.el.h3(t("sites.keys")),
        rx.el.p(t("sites.keys_lead"), class_name="lead"),
        list_or(SiteAgentState.keys, _key, rx.fragment()),
        one_line("create-key", "name", t("keys.name"), t("sites.create_key"), SiteAgentState.create_key),
        class_name="card stack",
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
        revoke_button(row.name, SiteAgentState.revoke_key(row.id)),
        key=row.id,
    )


def _group(title: Shown, *content: rx.Component) -> rx.Component:
    return rx.el.section(rx.el.h3(title), *content, class_name="card stack")


def _line(name: str, label: Shown, note: Shown | None = None) -> rx.Component:
    return _field(forms.line, name, label, note, auto_complete="off")


def _area(name: str, label: Shown, *, rows: int, note: Shown | None = None) -> rx.Component:
    return _field(forms.area, name, label, note, rows=str(rows))


def _choice(name: str, label: Shown, choices: dict[str, Shown], *further: rx.Component) -> rx.Component:
    return _field(partial(forms.select, choices, *further), name, label)


def _option(one: Shown) -> rx.Component:
    return rx.el.option(one.label, value=one.id)


def _field(
    control: Callable[..., rx.Component], name: str, label: Shown, note: Shown | None = None, **props: Any
) -> rx.Component:
    """The field for a setting of the agent, with its current value."""
    value, place = getattr(_FORM, name), f"agent-{name}"
    if name in PREVIEWED:

        def draft(typed: Shown) -> Shown:
            return SiteAgentState.draft(name, typed)

        props["on_change"] = draft
    shown = control(name=name, id=place, default_value=value, key=value, **props)
    return forms.field(label, shown, of=place, note=note, class_name="setting wide")


def _check(name: str, label: Shown, checked: Shown) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="checkbox", name=name, default_checked=checked, key=f"{name}-" + checked.to(str)), label
    )
