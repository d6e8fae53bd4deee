"""Texts of security events, and the list of a member's own events."""

import reflex as rx

from leaf.components.basics import Shown, icon, list_or, match
from leaf.components.texts import date, t
from leaf.services.security import Kind


def event_text(kind: Shown) -> rx.Component:
    """The text of an event. A kind that this version does not know is shown by its name."""
    words: dict[Kind, Shown] = {
        Kind.SIGNED_IN: t("security.signed_in"),
        Kind.SIGN_IN_REFUSED: t("security.sign_in_refused"),
        Kind.SIGNED_OUT: t("security.signed_out"),
        Kind.SESSION_REVOKED: t("security.session_revoked"),
        Kind.SESSIONS_REVOKED: t("security.sessions_revoked"),
        Kind.DRIVE_CONNECTED: t("security.drive_connected"),
        Kind.DRIVE_DISCONNECTED: t("security.drive_disconnected"),
        Kind.DRIVE_LOST: t("security.drive_lost"),
        Kind.DATA_EXPORTED: t("security.data_exported"),
        Kind.ACCOUNT_DELETED: t("security.account_deleted"),
        Kind.LINK_MADE: t("security.link_made"),
        Kind.LINK_REVOKED: t("security.link_revoked"),
        Kind.PERSON_INVITED: t("security.person_invited"),
        Kind.PERSON_REMOVED: t("security.person_removed"),
        Kind.CHAT_LEFT: t("security.chat_left"),
        Kind.ADMINISTRATION_OPENED: t("security.administration_opened"),
        Kind.LIMITS_REACHED: t("security.limits_reached"),
        Kind.API_KEY_MADE: t("security.api_key_made"),
        Kind.API_KEY_REVOKED: t("security.api_key_revoked"),
        Kind.SITE_KEY_MADE: t("security.site_key_made"),
        Kind.SITE_KEY_REVOKED: t("security.site_key_revoked"),
        Kind.SIGNING_KEY_MADE: t("security.signing_key_made"),
        Kind.SIGNING_KEY_REVOKED: t("security.signing_key_revoked"),
        Kind.SITE_INVITED: t("security.site_invited"),
        Kind.SITE_JOINED: t("security.site_joined"),
        Kind.SITE_MEMBER_REMOVED: t("security.site_member_removed"),
        Kind.SITE_DELETED: t("security.site_deleted"),
        Kind.SITE_FOLDER_ADDED: t("security.site_folder_added"),
        Kind.CONVERSATIONS_EXPORTED: t("security.conversations_exported"),
    }
    return match(kind, *((one.value, rx.fragment(text)) for one, text in words.items()), rx.fragment(kind))


def own_events(events: Shown) -> rx.Component:
    """The section of Settings with the member's own events.

    Args:
        events: The events, as `EventView`.
    """

    def row(one: Shown) -> rx.Component:
        return rx.el.li(
            icon("shield", 18),
            rx.el.div(
                rx.el.strong(event_text(one.kind)),
                rx.el.p(
                    date(one.at, dateStyle="medium", timeStyle="short"),
                    rx.cond(one.device != "", rx.fragment(" · ", one.device)),
                    rx.cond(one.network != "", rx.fragment(" · ", one.network)),
                ),
            ),
            key=one.id,
        )

    return rx.el.section(
        rx.el.h3(t("security.title")),
        rx.el.p(t("security.lead"), class_name="lead"),
        list_or(events, row, rx.el.p(t("security.none"), class_name="lead")),
        class_name="stack",
    )
