"""Leaf's own React components (`assets/client/`) and the router's link, as Reflex components.

They have the functions that work without a request to the server, such as growing text, drafts, keyboard shortcuts and
offline reading.
"""

from typing import Any

import reflex as rx
from reflex_components_core.base.error_boundary import ErrorBoundary
from reflex_components_core.el.elements.base import BaseHTML


class Text(rx.Component):
    """A text of an answer. It draws the blocks, or, without blocks, the text received so far (`LiveText`).

    The content is untrusted, so it has no raw HTML, no images, and only harmless links.
    """

    library = "$/public/client/answer.js"
    tag = "Text"
    lib_dependencies: list[str] = [  # noqa: RUF012 - Reflex declares it as a list
        "react-markdown@10.1.0",
        "remark-gfm@4.0.1",
        "mdast-util-find-and-replace@3.0.4",
        "lowlight@3.3.0",
        "hast-util-to-jsx-runtime@2.3.6",
        "katex@0.18.11",
        "mermaid@12.3.0",
        "dompurify@3.4.18",
        "unist-util-visit@5.2.0",
        "unist-util-visit-parents@6.1.0",
    ]

    blocks: rx.Var[list[str]]
    run: rx.Var[str]
    slot: rx.Var[int]
    growing: rx.Var[bool]
    cites: rx.Var[Any]
    """The quotes that belong to the citation numbers in the text (`leaf.views.evidence`)."""
    hosts: rx.Var[dict[str, str]]
    """The hosts that tools of the chat have found (`leaf.citations.hosts`)."""
    asks: rx.Var[str]
    """The links that ask for confirmation before they open (`leaf.views.evidence.Cites`)."""
    given: rx.Var[list[str]]
    parts: rx.Var[Any]
    """The Markdown elements that are components in Python (`leaf.components.markdown`)."""
    on_cite: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class LiveText(rx.Component):
    """Receives the text of the answer that is being written. It is mounted before all answers and draws nothing."""

    library = "$/public/client/live.js"
    tag = "LiveText"

    on_gap: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Boundary(rx.Component):
    """Draws `fallback` if its children raise an error, until one of the `reset_keys` changes."""

    library = ErrorBoundary.library
    tag = "ErrorBoundary"

    fallback: rx.Var[rx.Component]
    reset_keys: rx.Var[list[Any]]


class Drafts(rx.Component):
    """Keeps drafts private to their writer, and deletes them when the session, the chat or the account ends."""

    library = "$/public/client/drafts.js"
    tag = "Drafts"

    person: rx.Var[str]
    deleted: rx.Var[str]
    stranger: rx.Var[bool]
    farewell: rx.Var[bool]


class Portal(rx.Component):
    """Draws its children inside the element `into`, or in their own place if there is no such element."""

    library = "$/public/client/artifact.js"
    tag = "Portal"

    into: rx.Var[Any]


class Panel(rx.Component):
    """A panel at the side that gives the focus back when it is closed."""

    library = "$/public/client/focus.js"
    tag = "Panel"

    labelledby: rx.Var[str]
    passage: rx.Var[str]
    """The id of the element to show and focus, a space, and a number that makes each request a new value."""


class Offline(rx.Component):
    """Saves the content of the page, and shows it while the server cannot be reached."""

    library = "$/public/client/offline.js"
    tag = "Offline"

    person: rx.Var[str]
    lost: rx.Var[bool]
    chat: rx.Var[str]
    """The full name of the chat's state in the browser. `live` and `session` are also full names of states."""
    live: rx.Var[str]
    session: rx.Var[str]
    marker: rx.Var[str]


class Language(rx.Component):
    """Sets the page's language to the reader's."""

    library = "$/public/client/texts.js"
    tag = "Language"

    chosen: rx.Var[str]


class Behaviour(rx.Component):
    """Keyboard shortcuts, the collapsing sidebar, and the drawer on phones."""

    library = "$/public/client/shell.js"
    tag = "Behaviour"

    shortcuts: rx.Var[list[dict[str, Any]]]
    density: rx.Var[str]


class Link(rx.Component):
    """A link within Leaf that does not reload the page."""

    library = "react-router"
    tag = "Link"

    to: rx.Var[str]
    role: rx.Var[str]


class PlainForm(BaseHTML):
    """A form that the browser submits to an HTTP route, or that a hook handles. Reflex's own form only raises
    events.
    """

    tag = "form"

    action: rx.Var[str]
    method: rx.Var[str]


class WidgetPreview(BaseHTML):
    """A preview of a site's widget. `preview` is the site's agent as JSON (`leaf.sites.widget`)."""

    tag = "LeafChat"
    alias = "leaf-chat"
    """The name of the HTML element. Reflex uses `tag` as the name of a JavaScript function."""

    preview: rx.Var[str]
    inert: rx.Var[bool]


class Anchor(BaseHTML):
    """A link that the browser follows itself, such as a link to a position on the same page."""

    tag = "a"

    href: rx.Var[str]


live_text = LiveText.create
boundary = Boundary.create
drafts = Drafts.create
offline = Offline.create
portal = Portal.create
panel = Panel.create
language = Language.create
behaviour = Behaviour.create
link = Link.create
plain_form = PlainForm.create
widget_preview = WidgetPreview.create
anchor = Anchor.create
