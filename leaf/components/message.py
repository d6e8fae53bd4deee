"""Messages: the question's bubble, and the answer with its steps, text and actions."""

from collections.abc import Callable

import reflex as rx

from leaf.components import actions, client, feedback, research, trust
from leaf.components.basics import Shown, match, spinner
from leaf.components.endings import ending, is_asker, partial
from leaf.components.related import related
from leaf.components.spent import details
from leaf.components.summary import summarised
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.live import LiveState

NEAR = 8
"""So many messages at the end of a chat are drawn before the page is shown."""


def history(rows: Shown) -> rx.Component:
    """The messages that were there when a chat was opened."""

    def draw(row: Shown, place: Shown) -> rx.Component:
        return message(row, far=place < rows.length() - NEAR)

    return rx.foreach(rows, draw)


def message(row: Shown, *, far: Shown = False) -> rx.Component:
    """A message that no longer changes.

    Args:
        row: The message.
        far: Whether it stands far above the end of the chat.
    """
    return rx.cond(
        row.role == "user",
        rx.el.div(
            _asker(row),
            actions.question(row),
            role="article",
            aria_label=t("research.you"),
            class_name="message question",
            id=f"message-{row.id}",
            key=row.id,
        ),
        rx.el.div(
            rx.foreach(row.body, _drawer(row.run_id, row.citations, far)),
            ending(row.status, row.reason, row.id, last=False),
            _trust(row.citations, row.coverage, row.run_id),
            actions.answer_actions(row.body, row.files, row.run_id, row.citations, row.id),
            details(row.run_id),
            feedback.comment(row.run_id),
            summarised(row.id),
            role="article",
            aria_label="Leaf",
            class_name="message answer",
            id=f"message-{row.id}",
            key=row.id,
        ),
    )


def _asker(row: Shown) -> rx.Component:
    """Who asked, in a chat of several people."""
    people: Shown = ChatState.people
    return rx.cond(
        people.length() > 0,
        rx.el.span(rx.cond(people.contains(row.asker), people[row.asker], t("sharing.former")), class_name="asker"),
    )


def live_message() -> rx.Component:
    """The chat's last answer, be it growing or done."""
    live: Shown = LiveState
    items = live.items
    return rx.cond(
        live.message_id != "",
        rx.el.div(
            rx.foreach(items, _drawer(live.run_id, live.citations, last=True)),
            rx.cond(live.running, _progress()),
            ending(live.status, live.reason, live.message_id, last=True),
            rx.cond((live.limit != "") & ~live.running, partial()),
            rx.cond(~live.running, _trust(live.citations, live.coverage, live.run_id)),
            rx.cond(
                ~live.running,
                actions.answer_actions(
                    items, live.files, live.run_id, live.citations, live.message_id, ended=_ended(live)
                ),
            ),
            details(live.run_id),
            feedback.comment(live.run_id),
            role="article",
            aria_label="Leaf",
            custom_attrs={"aria-busy": live.running, "data-status": live.status},
            class_name="message answer live",
            id=f"message-{live.message_id}",
            key=live.message_id,
        ),
    )


def _drawer(run_id: Shown, cites: Shown, far: Shown = False, *, last: bool = False) -> Callable[[Shown], rx.Component]:
    """What draws an item of an answer; options can be chosen in the last one, once it is done."""

    def draw(item: Shown) -> rx.Component:
        text: dict[str, Shown] = {
            "blocks": item.blocks,
            "run": run_id,
            "slot": item.slot,
            "growing": item.state == "open",
            "far": far,
        }
        return match(
            item.kind,
            ("text", client.text(**text, cites=cites.quotes, on_cite=_cite(run_id))),
            (
                "display",
                client.display(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    active=~LiveState.running if last else False,
                    on_choose=_choose,
                ),
            ),
            ("related", related(item) if last else rx.fragment()),
            (
                "asking",
                client.asking(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    active=_may_answer() if last else False,
                    on_answer=_answer,
                ),
            ),
            research.group(item, run_id),
        )

    return draw


def _cite(run_id: Shown) -> Callable[[Shown], Shown]:
    """The event that shows what a number in a text stands for."""

    def cite(number: Shown) -> Shown:
        return DetailsState.open_citation(run_id, number)

    return cite


def _may_answer() -> Shown:
    """Whether the last answer waits for whoever looks at it."""
    return (LiveState.status == "waiting") & is_asker()


def _answer(call: Shown, given: Shown) -> Shown:
    """The event that answers what the last answer asks."""
    return ChatState.answer(LiveState.message_id, call, given)


def _choose(text: Shown) -> Shown:
    """The event that sends what was chosen."""
    return ChatState.send(ChatState.chat_id, text)


def _progress() -> rx.Component:
    """What goes on, in words; never a spinner alone."""
    return rx.el.div(
        rx.cond(
            LiveState.lost,
            rx.el.span(spinner(), t("common.reconnecting"), class_name="quiet-line"),
            rx.cond(LiveState.line != "", rx.el.span(spinner(), LiveState.line, class_name="quiet-line shimmer")),
        ),
        rx.cond(LiveState.resumed, rx.el.span(t("research.resumed"), class_name="small-note")),
        rx.cond(LiveState.patient, rx.el.span(t("research.patient"), class_name="small-note")),
        class_name="progress",
    )


def _ended(live: Shown) -> Shown:
    """Whether it can be written once more beside what there is; one that broke off is by its asker in its place."""
    return (live.status == "completed") | (live.status == "waiting") | ~is_asker()


def _trust(citations: Shown, coverage: Shown, run_id: Shown) -> rx.Component:
    """What the answer rests on."""
    return rx.fragment(trust.citations(citations, run_id), trust.receipt(coverage))
