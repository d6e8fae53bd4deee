"""Settings of sites: the list, and the page of one agent."""

import reflex as rx

from leaf.components.basics import Shown, button, text_link
from leaf.components.conversations import alerts, conversation_list, exports, filters
from leaf.components.sections import section
from leaf.components.site_agent import agent_form, playground, preview, public_keys
from leaf.components.site_usage import use
from leaf.components.sites import new_site, site_list
from leaf.components.texts import t
from leaf.components.transcript import above, events, provider_logs
from leaf.state.conversations import ConversationsState
from leaf.state.site_agent import SiteAgentState
from leaf.state.sites import SitesState
from leaf.state.transcript import TranscriptState

PATH = "/settings/sites"


def sites() -> rx.Component:
    """The person's sites."""
    there = rx.el.div(rx.el.p(t("sites.lead"), class_name="lead"), site_list(), rx.cond(SitesState.loaded, new_site()))
    return section(PATH, rx.cond(SitesState.enabled, there, rx.el.p(t("sites.off"))))


def conversations() -> rx.Component:
    """Conversations with an agent, and their usage."""
    there = rx.el.div(
        _trail(text_link(ConversationsState.name, "/agents/" + ConversationsState.agent)),
        alerts(),
        filters(),
        conversation_list(),
        exports(),
        use(),
        class_name="stack",
    )
    return _found(ConversationsState.loaded, ConversationsState.agent, there, t("sites.no_agent"))


def _trail(*steps: rx.Component) -> rx.Component:
    """The way from the list of sites to a page."""
    return rx.el.p(text_link(t("sites.title"), PATH), *(part for step in steps for part in (" / ", step)))


def _found(loaded: Shown, one: Shown, content: rx.Component, missing: Shown) -> rx.Component:
    """A section about one agent or conversation, or words in its place if there is no such one."""
    return section(PATH, rx.cond(loaded, rx.cond(one != "", content, rx.el.p(missing))))


def transcript() -> rx.Component:
    """One conversation."""
    agent = "/agents/" + TranscriptState.agent
    there = rx.el.div(
        _trail(text_link(TranscriptState.name, agent), text_link(t("sites.conversations"), agent + "/conversations")),
        above(),
        events(),
        provider_logs(),
        class_name="stack",
    )
    return _found(TranscriptState.loaded, TranscriptState.chat, there, t("insights.no_conversation"))


def agent() -> rx.Component:
    """An agent: its keys, its prompt, and its settings."""
    there = rx.el.div(
        _trail(rx.el.strong(SiteAgentState.name)),
        rx.el.p(text_link(t("sites.conversations"), "/agents/" + SiteAgentState.agent + "/conversations")),
        public_keys(),
        agent_form(),
        playground(),
        preview(),
        rx.el.details(
            rx.el.summary(t("sites.delete_agent")),
            rx.el.p(t("sites.delete_agent_lead"), class_name="small-note"),
            button(
                t("sites.delete_named", name=SiteAgentState.name),
                kind="danger",
                once=True,
                on_click=SiteAgentState.delete,
            ),
        ),
        class_name="stack",
    )
    return _found(SiteAgentState.loaded, SiteAgentState.agent, there, t("sites.no_agent"))
