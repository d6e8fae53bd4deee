"""Containers of messages: folds, side views, sources of tool calls, and messages that are drawn late."""

import reflex as rx


class Fold(rx.Component):
    """A section that folds; the reader's choice holds for as long as the page is open.

    `on_fill` requests its content once it is open, visible, and not yet `filled`.
    """

    library = "$/public/client/fold.js"
    tag = "Fold"

    bare: rx.Var[bool]
    """Whether there is nothing to fold: only the children are drawn."""
    place: rx.Var[str]
    unfolded: rx.Var[bool]
    head: rx.Var[rx.Component]
    filled: rx.Var[bool]
    state: rx.Var[str]
    head_class: rx.Var[str]
    on_fill: rx.EventHandler[rx.event.no_args_event_spec]


class Artifact(rx.Component):
    """Content with a large view at the side, in the element with the id `artifact`."""

    library = "$/public/client/artifact.js"
    tag = "Artifact"

    bare: rx.Var[bool]
    """Whether there is no large view: only the children are drawn."""
    place: rx.Var[str]
    title: rx.Var[str]


class Source(rx.Component):
    """The input or output of a tool, with colours if it is JSON."""

    library = "$/public/client/source.js"
    tag = "Source"

    text: rx.Var[str]
    label: rx.Var[str]


class Far(rx.Component):
    """The place of a message; the content of one that is `far` above the end of a chat is drawn later."""

    library = "$/public/client/far.js"
    tag = "Far"

    far: rx.Var[bool]
    label: rx.Var[str]


far = Far.create
fold = Fold.create
artifact = Artifact.create
source = Source.create
