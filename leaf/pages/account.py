"""Settings for the member's profile, answers and data."""

from typing import Literal

import reflex as rx

from leaf.components import forms, links
from leaf.components.basics import Shown, avatar, button, facts, go, icon, sign_out
from leaf.components.client import plain_form
from leaf.components.notices import outcome
from leaf.components.sections import section
from leaf.components.texts import t
from leaf.config.catalog import Kind, Mode
from leaf.services.preferences import INSTRUCTION_CHARACTERS, NAME_CHARACTERS
from leaf.state.account import AccountState
from leaf.state.session import SessionState


def profile() -> rx.Component:
    """The member's name, email address and workspace, and a button to sign out."""
    named: tuple[tuple[Shown, Shown], ...] = (
        (t("account.provider_name"), AccountState.name),
        (t("settings.email"), SessionState.email),
        (t("settings.workspace"), SessionState.workspace),
    )
    return section(
        "/settings",
        rx.el.div(
            avatar(SessionState.name, SessionState.picture, class_name="avatar large"),
            rx.el.div(rx.el.strong(SessionState.name), rx.el.p(t("account.picture_note"), class_name="small-note")),
            class_name="profile-head",
        ),
        rx.cond(AccountState.loaded, _called()),
        facts(*named),
        sign_out("button secondary"),
    )


def _called() -> rx.Component:
    return rx.el.form(
        rx.el.label(t("account.display_name"), html_for="display-name"),
        rx.el.div(
            forms.line(
                id="display-name",
                name="name",
                default_value=AccountState.display_name,
                placeholder=AccountState.name,
                max_length=NAME_CHARACTERS,
                auto_complete="nickname",
                key=AccountState.display_name,
            ),
            button(t("common.save"), type="submit"),
            class_name="field-row",
        ),
        rx.el.p(
            rx.cond(AccountState.only_google, t("account.display_name_note"), t("account.display_name_note_others")),
            class_name="small-note",
        ),
        on_submit=AccountState.rename,
        class_name="setting first",
    )


def answers() -> rx.Component:
    modes: dict[str, Shown] = {
        "": t("account.last_chosen"),
        Mode.QUICK: t("account.quick"),
        Mode.ADAPTIVE: t("account.adaptive"),
    }
    kinds: dict[str, Shown] = {
        "": t("account.last_chosen"),
        Kind.SPEED: t("account.speed"),
        Kind.QUALITY: t("account.quality"),
    }
    return section(
        "/settings/answers",
        _choice("mode", t("account.mode"), modes, AccountState.mode),
        _choice("kind", t("account.kind"), kinds, AccountState.kind),
        # The form appears only after loading. Otherwise text that was typed before would be lost.
        rx.cond(AccountState.loaded, _instructions()),
    )


def _instructions() -> rx.Component:
    return rx.el.form(
        rx.el.label(t("account.instructions"), html_for="instructions"),
        rx.el.p(t("account.instructions_lead"), class_name="small-note"),
        forms.area(
            id="instructions",
            name="instructions",
            default_value=AccountState.instructions,
            max_length=INSTRUCTION_CHARACTERS,
            rows="8",
            aria_describedby="instructions-note",
            key=AccountState.instructions,
        ),
        rx.el.p(
            t("account.instructions_note", count=INSTRUCTION_CHARACTERS),
            id="instructions-note",
            class_name="small-note",
        ),
        button(t("common.save"), kind="primary", type="submit"),
        on_submit=AccountState.instruct,
        class_name="setting wide",
    )


def _choice(name: Literal["mode", "kind"], label: Shown, choices: dict[str, Shown], chosen: Shown) -> rx.Component:
    def choose(value: Shown) -> Shown:
        if name == "mode":
            return AccountState.choose(value, AccountState.kind)
        return AccountState.choose(AccountState.mode, value)

    control = forms.select(choices, id=name, value=chosen, on_change=choose)
    return forms.field(label, control, of=name, class_name="setting first")


def data() -> rx.Component:
    """Export of the member's data, and deletion of the account."""
    return section(
        "/settings/data",
        outcome(problems={"email": t("account.other_email")}, otherwise=t("account.delete_failed")),
        rx.el.section(
            rx.el.h3(t("account.export")),
            rx.el.p(t("account.export_text"), class_name="lead"),
            go(t("account.export_button"), "/api/account/export"),
            class_name="card stack",
        ),
        rx.el.section(
            rx.el.h3(t("account.delete")),
            rx.el.p(t("account.delete_text"), class_name="lead"),
            rx.el.ul(
                rx.el.li(icon("trash-2", 15), t("account.delete_chats")),
                rx.el.li(icon("unplug", 15), t("account.delete_google")),
                rx.el.li(icon("users-round", 15), t("account.delete_shared")),
                class_name="card-points",
            ),
            plain_form(
                rx.el.label(t("account.delete_email", email=SessionState.email), html_for="confirm-email"),
                rx.el.div(
                    forms.line(
                        id="confirm-email",
                        name="email",
                        type="email",
                        required=True,
                        auto_complete="off",
                        placeholder=SessionState.email,
                    ),
                    rx.el.button(t("account.delete_button"), type="submit", class_name="button danger"),
                    class_name="field-row",
                ),
                action=links.backend("/api/account/delete"),
                method="post",
                custom_attrs={"data-leaving": "true"},
                class_name="setting first",
            ),
            class_name="card stack danger-zone",
        ),
    )
