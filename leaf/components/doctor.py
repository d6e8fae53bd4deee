"""Diagnosis of the connection to Drive: the failure, a text to forward to an administrator, and a check in steps."""

import reflex as rx

from leaf.components.basics import Shown, button, icon, match, outer_link, spinner, unfolds
from leaf.components.controls import copy_button
from leaf.components.texts import date, t
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState


def failure(card: Shown) -> rx.Component:
    """The failure of a connection, and the ways to repair it."""
    reason = rx.cond(card.reason != "", card.reason, t("settings.refused"))
    return rx.fragment(
        rx.el.p(reason, class_name="card-text"),
        _remedies(card.link, card.forward, is_first=card.first_step == "forward"),
    )


def _remedies(address: Shown, text: Shown, *, is_first: Shown) -> rx.Component:
    """The text to forward if there is one, and for administrators a link to the page of Google's console."""
    return rx.fragment(
        rx.cond(
            (address != "") & SessionState.administrator,
            rx.el.p(
                outer_link(
                    t("settings.open_console"), icon("external-link", 14), url=address, class_name="button small"
                ),
                class_name="card-text",
            ),
        ),
        rx.cond(text != "", forwarded(text, is_first=is_first)),
    )


def forwarded(text: Shown, *, is_first: Shown = False) -> rx.Component:
    """A text that a member can copy and send to an administrator.

    If this is the first step, the copy button is prominent.
    """
    words = t("settings.copy_forward")
    return rx.fragment(
        rx.cond(
            is_first,
            rx.el.div(
                copy_button(text=text, label=words, words=words, kind="primary small"), class_name="doctor-first"
            ),
        ),
        rx.el.details(
            unfolds("forward", t("settings.forward")),
            rx.el.div(
                rx.el.p(text),
                rx.cond(is_first, rx.fragment(), copy_button(text=text, label=words, words=words)),
                class_name="doctor-letter",
            ),
            class_name="doctor-forward",
        ),
    )


def account(card: Shown) -> rx.Component:
    """The account of the Drive if it is known, and the account of the member if that differs."""
    other = t("settings.other_account", email=card.email, signed_in=SessionState.email)
    words = rx.cond(card.email == SessionState.email, t("settings.reads", email=card.email), other)
    return rx.cond(card.email != "", rx.el.p(words, class_name="card-text"))


def expiry(card: Shown) -> rx.Component:
    """The time at which access ends while Google's app is in the state Testing."""
    return rx.cond(
        card.expires != "",
        rx.el.p(
            icon("clock", 15),
            " ",
            t("settings.expires", left=card.left, day=date(card.expires, dateStyle="medium")),
            class_name="card-text",
        ),
    )


def attempt() -> rx.Component:
    """A failed attempt to connect, with its cause, or with the errors that the member may have seen at Google."""
    close = button(t("settings.attempt_close"), once=True, on_click=SettingsState.forget_attempt)
    return rx.fragment(
        rx.cond(
            SettingsState.attempt != "",
            rx.el.div(
                rx.el.h3(t("settings.attempt_title")),
                rx.el.p(SettingsState.attempt, class_name="card-text"),
                _remedies("", SettingsState.attempt_forward, is_first=SettingsState.attempt_waits),
                close,
                class_name="card attempt",
            ),
        ),
        rx.cond(
            SettingsState.attempt_open,
            rx.el.div(
                rx.el.h3(t("settings.attempt_open_title")),
                rx.el.p(t("settings.attempt_open_text"), class_name="card-text"),
                rx.foreach(SettingsState.consents, _consent),
                close,
                class_name="card attempt",
            ),
        ),
    )


def _consent(one: Shown) -> rx.Component:
    return rx.el.details(
        unfolds("circle-help", one.code),
        rx.el.p(one.text, class_name="card-text"),
        rx.cond(one.forward != "", forwarded(one.forward)),
        key=one.code,
    )


def check() -> rx.Component:
    """The steps of the check of the connection, and the result as a text to copy."""
    probes: Shown = SettingsState.probes
    text: Shown = SettingsState.check_text
    return rx.el.div(
        button(
            t("settings.check"), kind="secondary small", on_click=SettingsState.check, disabled=SettingsState.checks
        ),
        rx.cond(
            probes.length() > 0,
            rx.el.ol(
                rx.foreach(probes, _probe),
                class_name="doctor-probes",
                aria_label=t("settings.check"),
                custom_attrs={"aria-live": "polite"},
            ),
        ),
        # If the connection itself fails, the card already shows these.
        rx.cond(
            SettingsState.drive_reason == "",
            _remedies(SettingsState.check_link, SettingsState.check_forward, is_first=False),
        ),
        rx.cond(text != "", copy_button(text=text, label=t("settings.copy_check"), words=t("settings.copy_check"))),
        class_name="doctor-check",
    )


def _note(one: Shown) -> Shown:
    """The note of a step. A note that repeats the failure at the head of the card is replaced by a reference to it."""
    is_above = (one.state == "failed") & (one.note == SettingsState.drive_reason)
    return rx.cond(is_above, t("settings.reason_above"), one.note)


def _probe(one: Shown) -> rx.Component:
    mark = match(
        one.state,
        ("passed", icon("circle-check", 16)),
        ("noted", icon("info", 16)),
        ("failed", icon("triangle-alert", 16)),
        ("skipped", icon("circle-minus", 16)),
        ("running", spinner()),
        icon("circle", 16),
    )
    state = match(
        one.state,
        ("passed", t("settings.probe_passed")),
        ("noted", t("settings.probe_noted")),
        ("failed", t("settings.probe_failed")),
        ("skipped", t("settings.probe_skipped")),
        ("running", t("settings.probe_running")),
        rx.cond(SettingsState.checks, t("settings.probe_waiting"), t("settings.probe_unchecked")),
    )
    return rx.el.li(
        mark,
        rx.el.div(
            rx.el.strong(one.name),
            rx.el.span(state, class_name="unseen"),
            rx.cond(one.note != "", rx.el.p(_note(one), class_name="small-note")),
        ),
        class_name="doctor-" + one.state.to(str),
        key=one.name,
    )
