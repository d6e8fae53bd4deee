"""Pages for readers with a public link to a chat: HTML without scripts, rendered on the server."""

from leaf.api.shared.links import routes
