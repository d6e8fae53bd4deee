"""The research for an answer: groups of steps that are summarised in a sentence and can be opened."""

from collections.abc import Callable

import reflex as rx

from leaf.components import containers
from leaf.components.basics import Shown, icon, match, skeleton, spinner
from leaf.components.hooks import hook
from leaf.components.texts import t
from leaf.components.tool_detail import tool_detail
from leaf.state.details import Detail, DetailsState
from leaf.views.steps import THOUGHT

_ICONS = {
    "search": "search",
    "folder": "folder-open",
    "file": "file-text",
    "tables": "calculator",
    "compute": "calculator",
    "compare": "git-compare",
    "edit": "file-pen",
    "todo": "list-checks",
    "web": "globe",
    "page": "globe",
    THOUGHT: "brain",
}


def group(item: Shown, run_id: Shown) -> rx.Component:
    """A group of steps. A single step is drawn without the group's line, which would only repeat it."""
    return containers.fold(
        rx.el.ol(rx.foreach(item.steps, _drawer(run_id, item)), class_name="step-list"),
        bare=item.steps.length() == 1,
        head=rx.fragment(
            _state_icon(item.state),
            rx.el.span(item.text, _took(item), class_name="step-text"),
            icon("chevron-right", 15),
        ),
        place=run_id.to(str) + ":" + item.slot.to_string(),
        open_by_default=item.unfolded,
        state=item.state,
        class_name="steps",
    )


def _drawer(run_id: Shown, item: Shown) -> Callable[[Shown], rx.Component]:
    def draw(step: Shown) -> rx.Component:
        place: Shown = run_id.to(str) + ":" + step.id.to(str)
        drawn = rx.cond(step.icon == THOUGHT, _thought(step, run_id, place), _call(step, run_id, place, item.alone))
        return rx.el.li(drawn, key=step.id)

    return draw


def _thought(step: Shown, run_id: Shown, place: Shown) -> rx.Component:
    """A thought. It is open while it streams, and folds when something follows."""
    return containers.fold(
        _thoughts(blocks=step.blocks, run=run_id, slot=step.slot, growing=step.state == "running"),
        head=_head(step),
        place=place,
        open_by_default=step.state == "running",
        state=step.state,
        class_name="step thinking",
    )


@rx.memo
def _thoughts(blocks: rx.Var[list[str]], run: rx.Var[str], slot: rx.Var[int], growing: rx.Var[bool]) -> rx.Component:
    """The text of a thought. While it grows, the newest line is visible."""
    written = hook("written", "useBlocks", "live", {"blocks": blocks, "run": run, "slot": slot}).to(list[str])
    return rx.el.div(
        rx.el.div(written.join("").strip(), class_name="thinking-words"),
        tab_index=0,
        role="region",
        aria_label=t("research.thinking"),
        class_name=rx.cond(growing, "thinking-text growing", "thinking-text"),
    )


def _call(step: Shown, run_id: Shown, place: Shown, alone: Shown) -> rx.Component:
    """A tool call. Its input and output are requested when the open section becomes visible."""
    details: Shown = DetailsState.steps
    detail, known = details[step.id].to(Detail), details.contains(step.id)
    return containers.fold(
        rx.cond(
            known,
            tool_detail(detail, step.id),
            skeleton(t("common.loading"), "38%", "72%", "54%"),
        ),
        head=_head(step),
        place=place,
        open_by_default=alone,
        is_complete=known,
        on_fill=DetailsState.open_step(run_id, step.id),
        state=step.state,
        class_name=rx.cond(alone, "step alone", "step"),
    )


def _head(step: Shown) -> rx.Component:
    return rx.fragment(
        _step_icon(step),
        rx.el.span(
            rx.el.span(step.text, class_name=rx.cond(step.preparing, "shimmer", "")),
            rx.cond(step.note != "", rx.el.span(step.note, class_name="step-note")),
            _took(step),
            class_name="step-text",
        ),
        icon("chevron-right", 14),
    )


def _took(of: Shown) -> rx.Component:
    """The duration of a step or a group; nothing if it is unknown."""
    return rx.cond(of.took != "", rx.el.span(of.took, class_name="step-took"))


def _state_icon(state: Shown) -> rx.Component:
    return match(
        state,
        ("running", rx.el.span(spinner(), class_name="step-icon", key="running")),
        ("failed", rx.el.span(icon("triangle-alert", 15), class_name="step-icon warn")),
        rx.el.span(icon("check", 15), class_name="step-icon ok"),
    )


def _step_icon(step: Shown) -> rx.Component:
    kinds = ((kind, icon(name, 15)) for kind, name in _ICONS.items())

    def shown(face: rx.Component, label: Shown, class_name: str) -> rx.Component:
        return rx.el.span(face, class_name=class_name, role="img", aria_label=label)

    return match(
        step.state,
        ("running", rx.el.span(spinner(), class_name="step-icon", key="running")),
        ("failed", shown(icon("circle-x", 15), t("research.failed"), "step-icon bad")),
        ("skipped", shown(icon("circle-minus", 15), t("research.skipped"), "step-icon warn")),
        ("stopped", shown(icon("circle-stop", 15), t("research.stopped"), "step-icon")),
        shown(match(step.icon, *kinds, icon("wrench", 15)), t("research.done"), "step-icon"),
    )
