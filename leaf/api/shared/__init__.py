"""Pages for people who have a public link to a chat: made here as HTML, without scripts."""

from leaf.api.shared.links import routes

__all__ = ["routes"]
