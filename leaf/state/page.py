"""Mixins for the states of pages whose address names one thing, such as a site, an agent or a project."""

from uuid import UUID

import reflex as rx

from leaf import errors
from leaf.db import Actor
from leaf.state import session


def id_in_path(state: rx.State, prefix: str, what: str) -> UUID:
    """The id after a prefix in the path of the open page.

    Raises:
        errors.NotFound: The path has no id there.
    """
    return session.identifier(str(state.router.url.path).removeprefix(prefix).split("/")[0], what)


def whole_number(text: str) -> int:
    """A number of at most four digits from a form; -1 for any other text, which services refuse."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else -1


class Page(rx.State, mixin=True):
    """A page that is read when it is opened. Its class defines `_read`, which raises NotFound for a missing thing."""

    loaded: bool = False
    _path: str = ""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the page. If another page was open before, clears its values; otherwise text in forms stays."""
        async with self:
            path = str(self.router.url.path)
            if self._path != path:
                self.reset()
                self._path = path
        with session.while_available():
            try:
                await self._read((await session.required(self)).actor)
            except errors.NotFound:
                async with self:
                    self.reset()
                    self.loaded, self._path = True, path

    async def _read(self, actor: Actor) -> None:
        raise NotImplementedError


class Deletable(rx.State, mixin=True):
    """A page whose thing can be deleted after a confirmation."""

    deleting: bool = False
    """Whether the dialog that confirms the deletion is open."""

    @rx.event
    def ask_delete(self, asked: bool) -> None:
        """Opens or closes the dialog that confirms the deletion."""
        self.deleting = asked
