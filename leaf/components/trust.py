"""The evidence for an answer: a line under it, the checks of its quotes, and the receipt of its research."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components.basics import Shown, button, icon, outer_link, source_link
from leaf.components.doctor import forwarded
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState


def evidence(
    found: Shown, coverage: Shown, run_id: Shown, *, audience: Audience = audiences.MEMBER, further: Any = None
) -> rx.Component:
    """The line about the evidence for an answer. It opens the panel of sources. In print, the sources are listed.

    Args:
        found: The citations of the answer.
        coverage: Its receipt.
        run_id: The run that wrote it.
        audience: The audience of the page. Only an audience with a Drive sees the note that an answer is not from
            Drive.
        further: The actions for an answer that used no file.
    """
    unsourced = coverage.answered & ~coverage.used_file if audience.has_drive else False
    actions, forward = rx.fragment(), rx.fragment()
    if further is not None:
        actions = rx.cond(unsourced & ~coverage.searched_drive & ~coverage.drive_failed, further)
    if audience.has_drive:
        forward = rx.cond(coverage.forward != "", forwarded(coverage.forward))
    return rx.fragment(
        rx.cond(
            (coverage.brief != "") | unsourced,
            rx.el.div(
                rx.cond(unsourced, _not_from_drive()),
                rx.cond(
                    coverage.brief != "",
                    rx.el.button(
                        rx.cond(
                            coverage.warns,
                            rx.el.span(icon("triangle-alert", 15), class_name="step-icon warn"),
                            rx.el.span(icon("quote", 15), class_name="step-icon"),
                        ),
                        rx.el.span(coverage.brief, class_name="step-text"),
                        icon("chevron-right", 15),
                        type="button",
                        class_name="step-head",
                        aria_expanded=DetailsState.shown == run_id,
                        on_click=DetailsState.open_sources(run_id),
                        custom_attrs={"data-opens-panel": "true"},
                    ),
                ),
                actions,
                class_name="rests",
            ),
        ),
        forward,
        rx.el.div(
            rx.el.ol(rx.foreach(found.quotes, _on_paper), class_name="cited-list"),
            rx.el.p(coverage.summary),
            receipt(coverage.lines),
            class_name="only-paper",
        ),
    )


def unanswered(parts: Shown, ask: Callable[[Shown], Shown], running: Shown) -> rx.Component:
    """A line for each part of the question that was not answered, with a button that asks it.

    Args:
        parts: The texts of these parts.
        ask: Returns the event that sends a text as a question.
        running: Whether an answer is being written.
    """

    def draw(part: Shown) -> rx.Component:
        return rx.el.p(
            icon("circle-alert", 15),
            rx.el.span(t("subquestions.left", part=part)),
            button(t("subquestions.ask"), kind="secondary small", once=True, on_click=ask(part), disabled=running),
            class_name="unanswered-part",
        )

    return rx.foreach(parts, draw)


def conflicts(found: Shown) -> rx.Component:
    """The facts that sources state differently. Each value has its source, date and passage."""
    return rx.foreach(found, _conflict)


def _conflict(one: Shown) -> rx.Component:
    return rx.el.section(
        rx.el.p(
            icon("git-compare", 15),
            rx.el.span(t("conflicts.heading"), class_name="conflict-name"),
            rx.cond(one.about != "", rx.el.span(one.about, class_name="conflict-about")),
            class_name="conflict-head",
        ),
        rx.el.ul(rx.foreach(one.sides, _side), class_name="conflict-sides"),
        aria_label=t("conflicts.heading"),
        class_name="conflict",
    )


def _side(side: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.strong(side.value),
                rx.el.span(
                    side.name,
                    rx.cond(side.place != "", rx.el.span(", ", side.place)),
                    class_name="conflict-source",
                ),
                rx.cond(side.date != "", rx.el.span(side.date, class_name="small-note")),
                rx.cond(side.newer, rx.el.span(t("conflicts.newer"), class_name="conflict-newer")),
            ),
            rx.el.blockquote(side.quote),
            rx.cond(
                side.url != "",
                outer_link(rx.fragment(side.name), icon("external-link", 13), url=side.url, class_name="source-name"),
            ),
        ),
        key=side.url + side.value,
    )


def _not_from_drive() -> rx.Component:
    """The note that an answer used no file. In a chat that has used Drive, the text differs, because the answer may use
    earlier answers.
    """
    return rx.el.span(
        icon("file-x", 15),
        rx.cond(ChatState.used_drive, t("messages.no_file"), t("messages.not_from_drive")),
        class_name="rests-on-none",
    )


def _on_paper(one: Shown) -> rx.Component:
    number = one.n.to_string()
    name = source_link(one, rx.el.span(one.name, class_name="source-name"))
    return rx.el.li(
        rx.el.span(number, class_name="source-number"),
        rx.el.div(
            rx.el.div(name, rx.cond(one.place != "", rx.el.span(one.place, class_name="cited-place"))),
            rx.cond(one.quote != "", rx.el.blockquote(one.quote)),
            check(one),
            class_name="cited-about",
        ),
        class_name="cited-one",
        key=number,
    )


def check(quote: Shown) -> rx.Component:
    """The status of a quote: whether it was found in its source, and whether the source still contains it."""
    holds = quote.verified & ~quote.moved
    return rx.el.p(
        rx.cond(
            quote.call != "",
            icon("calculator", 15),
            rx.cond(holds, icon("badge-check", 15), icon("triangle-alert", 15)),
        ),
        rx.el.span(quote.status),
        class_name=rx.cond(holds, "cited-status", "cited-status cited-warn"),
    )


def receipt(lines: Shown) -> rx.Component:
    """The lines of a receipt; nothing if there are none."""
    return rx.cond(lines.length() > 0, rx.el.ul(rx.foreach(lines, _line), class_name="receipt-list"))


def _line(line: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.text),
        rx.cond(line.note != "", rx.el.span(line.note, class_name="receipt-note")),
        class_name=rx.cond(line.warns, "receipt-line cited-warn", "receipt-line"),
    )
