"""Settings of sites: the list of sites, and the pages of a site, of an agent, and of its conversations."""

from collections.abc import Sequence

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.client import link
from leaf.components.conversations import alerts, conversation_list, exports, filters
from leaf.components.knowledge import knowledge
from leaf.components.sections import section
from leaf.components.site_agent import agent_form, playground, preview, public_keys
from leaf.components.site_usage import use
from leaf.components.sites import agents, deletion, new_site, signing, site_list, team
from leaf.components.texts import t
from leaf.components.transcript import above, events, provider_logs
from leaf.state.conversations import ConversationsState
from leaf.state.site_agent import SiteAgentState
from leaf.state.sites import LIST_PATH, PATH, SitesState, SiteState
from leaf.state.transcript import TranscriptState


def sites() -> rx.Component:
    """The list of the member's sites."""
    there = rx.el.div(
        rx.el.p(t("sites.lead"), class_name="lead"),
        rx.cond(SitesState.loaded, rx.fragment(site_list(), new_site())),
        class_name="settings-cards",
    )
    return section(LIST_PATH, rx.cond(SitesState.enabled, there, rx.el.p(t("sites.off"))))


def site() -> rx.Component:
    there = rx.el.div(
        agents(),
        team(),
        signing(),
        deletion(
            t("sites.delete"),
            t("sites.delete_lead"),
            SiteState.name,
            is_open=SiteState.deleting,
            ask=SiteState.ask_delete,
            delete=SiteState.delete,
        ),
        class_name="settings-cards",
    )
    return _within(SiteState.name, [], SiteState.loaded, SiteState.site, there, t("sites.no_site"))


def _within(
    heading: Shown, trail: Sequence[rx.Component], loaded: Shown, found: Shown, content: rx.Component, missing: Shown
) -> rx.Component:
    """A page about one site, agent or conversation. `found` is its id; if that is empty, the page says `missing`."""
    shown = rx.cond(loaded, rx.cond(found != "", content, rx.el.p(missing)))
    return section(LIST_PATH, shown, heading=heading, trail=[*trail, rx.el.span(heading, aria_current="page")])


def agent() -> rx.Component:
    """The page of an agent: a playground, its settings next to a preview of the widget, and its public keys."""
    there = rx.el.div(
        link(
            icon("messages-square", 16),
            t("sites.conversations"),
            to="/agents/" + SiteAgentState.agent + "/conversations",
            class_name="button secondary",
        ),
        playground(),
        agent_form(),
        knowledge(),
        public_keys(),
        preview(),
        deletion(
            t("sites.delete_agent"),
            t("sites.delete_agent_lead"),
            SiteAgentState.name,
            is_open=SiteAgentState.deleting,
            ask=SiteAgentState.ask_delete,
            delete=SiteAgentState.delete,
        ),
        class_name="settings-cards",
    )
    trail = [link(SiteAgentState.site_name, to=PATH + SiteAgentState.site)]
    return _within(SiteAgentState.name, trail, SiteAgentState.loaded, SiteAgentState.agent, there, t("sites.no_agent"))


def conversations() -> rx.Component:
    there = rx.el.div(
        alerts(),
        filters(),
        conversation_list(),
        exports(),
        use(),
        class_name="settings-cards",
    )
    trail = [
        link(ConversationsState.site_name, to=PATH + ConversationsState.site),
        link(ConversationsState.name, to="/agents/" + ConversationsState.agent),
    ]
    state = ConversationsState
    return _within(t("sites.conversations"), trail, state.loaded, state.agent, there, t("sites.no_agent"))


def transcript() -> rx.Component:
    agent = "/agents/" + TranscriptState.agent
    there = rx.el.div(above(), events(), provider_logs(), class_name="settings-cards")
    trail = [
        link(TranscriptState.site_name, to=PATH + TranscriptState.site),
        link(TranscriptState.name, to=agent),
        link(t("sites.conversations"), to=agent + "/conversations"),
    ]
    title = rx.cond(TranscriptState.title == "", t("sites.untitled"), TranscriptState.title)
    state = TranscriptState
    return _within(title, trail, state.loaded, state.chat, there, t("insights.no_conversation"))
