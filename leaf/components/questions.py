"""Questions of the agent and calls that wait for the asker's approval, inside an answer.

A model writes all of this content, so it is drawn as text (`leaf.views.questions`).
"""

from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec

from leaf.components.basics import Shown, button, icon, match
from leaf.components.displays import option_words
from leaf.components.hooks import calls, hook, passes
from leaf.components.texts import t

_OBJECTS = list[dict[str, Any]]


_ANSWER = passthrough_event_spec(str, dict[str, Any])
"""The arguments of the event: the id of a call, and the answer to it."""


@rx.memo
def question(
    blocks: rx.Var[list[str]],
    run: rx.Var[str],
    slot: rx.Var[int],
    active: rx.Var[bool],
    on_answer: rx.EventHandler[_ANSWER],
) -> rx.Component:
    """A question of the agent, or a call that waits for approval.

    Args:
        blocks: The question as a block of JSON; empty while the answer is being written.
        run: The run that writes the answer.
        slot: The index of the call in the message.
        active: Whether the reader may answer.
        on_answer: Receives the call's id and the answer (`conversations.answer`).
    """
    shown = hook("shown", "useBlock", "live", blocks, run, slot)
    state = shown["state"].to(str)
    section = hook("section", "useFocusKept", "focus", state == "open").to(str)
    heading = section + "-heading"
    approval = shown["kind"] == "approval"
    words = rx.cond(approval, t("asking.wait", tool=shown["tool"].to(str)), shown["question"])
    return rx.cond(
        shown,
        rx.cond(
            state == "preparing",
            rx.el.p(t("asking.preparing"), class_name="quiet-line shimmer"),
            rx.el.section(
                rx.el.p(
                    rx.cond(approval, icon("shield-question", 17), icon("circle-help", 17)),
                    rx.el.span(words),
                    class_name="display-title",
                    id=heading,
                ),
                rx.cond(
                    approval,
                    _approval(shown, active, on_answer),
                    _question(shown, active, on_answer),
                ),
                id=section,
                tab_index=-1,
                class_name="display asking",
                custom_attrs={"aria-labelledby": heading, "data-state": state},
            ),
        ),
    )


def _question(shown: Shown, active: Shown, on_answer: Shown) -> rx.Component:
    options = shown["options"].to(_OBJECTS)

    def draw(option: Shown) -> rx.Component:
        return rx.el.li(option_words(option), key=option["value"])

    return match(
        rx.cond((shown["state"] == "open") & active, "form", shown["state"]).to(str),
        ("form", rx.fragment(question_form(shown=shown, on_answer=on_answer), key=shown["call"])),
        (
            "answered",
            rx.fragment(
                rx.cond(shown["labels"], _outcome("circle-check", t("asking.chosen", labels=shown["labels"]))),
                rx.cond(shown["said"], _outcome("circle-check", t("asking.answered", text=shown["said"]))),
            ),
        ),
        ("skipped", _outcome("circle-minus", t("asking.skipped"))),
        ("unanswered", _outcome("circle-minus", t("asking.unanswered"))),
        rx.cond(options.length() > 0, rx.el.ul(rx.foreach(options, draw), class_name="asking-options")),
    )


@rx.memo
def question_form(shown: rx.Var[dict[str, Any]], on_answer: rx.EventHandler[_ANSWER]) -> rx.Component:
    """The form in which a question is answered or skipped."""
    asked: Shown = shown
    form = hook("form", "useForm", "controls", asked["call"])
    busy, text, options = form["busy"].to(bool), form["text"].to(str), asked["options"].to(_OBJECTS)
    answer: Shown = {"selectedOptions": form["picked"], "inputText": text.strip()}
    empty = (form["picked"].to(list[str]).length() == 0) & (text.strip() == "")
    own = "own-" + asked["call"].to(str)

    def draw(option: Shown) -> rx.Component:
        picked = form["picked"].to(list[str]).contains(option["value"])
        return rx.el.label(
            rx.cond(
                asked["multiple"],
                rx.el.input(
                    type="checkbox", checked=picked, disabled=busy, on_change=calls(form["toggle"], option["value"])
                ),
                rx.el.input(
                    type="radio",
                    name=own,
                    checked=picked,
                    disabled=busy,
                    on_change=calls(form["pick"], option["value"]),
                    # A second click on the chosen option removes the choice, because the asker may answer only in
                    # their own words.
                    on_click=calls(form["unpick"], option["value"]),
                ),
            ),
            option_words(option),
            key=option["value"],
            class_name="option",
            custom_attrs={"data-picked": picked},
        )

    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend(asked["question"], class_name="unseen"),
            rx.foreach(options, draw),
            rx.cond(asked["own"], _own_answer(asked, form, own)),
            class_name="asking-fields",
        ),
        rx.el.div(
            rx.el.button(
                t("asking.answer"),
                type="submit",
                disabled=busy | empty,
                on_click=[calls(form["begin"]), on_answer(asked["call"], answer)],
                class_name="button primary",
            ),
            button(
                t("asking.skip"),
                disabled=busy,
                on_click=[calls(form["begin"]), on_answer(asked["call"], {"skipped": True})],
            ),
            class_name="asking-actions",
        ),
        on_submit=rx.prevent_default,
        custom_attrs={"aria-busy": busy},
    )


def _own_answer(shown: Shown, form: Shown, own: Shown) -> rx.Component:
    """The field for an answer in the asker's own words; `own` is its id."""
    label = rx.cond(
        shown["ownLabel"],
        shown["ownLabel"],
        rx.cond(shown["options"].to(_OBJECTS).length() > 0, t("asking.own_words"), t("asking.your_answer")),
    )
    return rx.el.div(
        rx.el.label(label, html_for=own),
        rx.el.textarea(
            id=own,
            rows=2,
            default_value=form["text"].to(str),
            placeholder=shown["ownPlaceholder"].to(str),
            max_length=shown["limit"].to(int),
            disabled=form["busy"].to(bool),
            on_change=passes(form["write"]),
            class_name="field",
        ),
        class_name="asking-own",
    )


def _approval(shown: Shown, active: Shown, on_answer: Shown) -> rx.Component:
    def draw(value: Shown) -> rx.Component:
        return rx.fragment(rx.el.dt(value["name"]), rx.el.dd(value["value"]), key=value["name"])

    values = shown["input"].to(_OBJECTS)
    return rx.fragment(
        rx.cond(shown["reason"], rx.el.p(shown["reason"], class_name="asking-reason")),
        rx.cond(
            values.length() > 0,
            rx.el.details(
                rx.el.summary(t("asking.given")),
                rx.el.dl(rx.foreach(values, draw)),
                rx.cond(shown["more"], rx.el.p(t("asking.more", count=shown["more"]), class_name="display-text")),
                class_name="asking-input",
            ),
        ),
        match(
            rx.cond((shown["state"] == "open") & active, "form", shown["state"]).to(str),
            ("form", approval_form(call=shown["call"].to(str), on_answer=on_answer)),
            ("allowed", _outcome("circle-check", t("asking.allowed"))),
            ("denied", _outcome("circle-minus", t("asking.denied"))),
            ("unanswered", _outcome("circle-minus", t("asking.unanswered"))),
            rx.fragment(),
        ),
    )


@rx.memo
def approval_form(call: rx.Var[str], on_answer: rx.EventHandler[_ANSWER]) -> rx.Component:
    """The buttons that allow or refuse a call."""
    form = hook("form", "useForm", "controls", call)

    def say(words: Shown, kind: str, *, approved: bool) -> rx.Component:
        return button(
            words,
            kind=kind,
            disabled=form["busy"].to(bool),
            on_click=[calls(form["begin"]), on_answer(call, {"approved": approved})],
        )

    return rx.el.div(
        say(t("asking.allow"), "primary", approved=True),
        say(t("asking.deny"), "secondary", approved=False),
        class_name="asking-actions",
    )


def _outcome(name: str, words: Shown) -> rx.Component:
    return rx.el.p(icon(name, 16), rx.el.span(words), class_name="asking-outcome")
