"""Parts of the states of pages about one thing that its address names: a site, or an agent."""

import reflex as rx

from leaf import errors
from leaf.db import Actor
from leaf.state import session


class Page(rx.State, mixin=True):
    """A page that is read when it is opened. `_read` reads it, and raises NotFound where there is no such thing."""

    loaded: bool = False
    _path: str = ""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the page. Nothing of the page before is shown; what is typed stays when the same page is read again."""
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
    """A page whose thing is deleted after a question."""

    deleting: bool = False
    """Whether the member is asked to confirm that it is deleted."""

    @rx.event
    def ask_delete(self, asked: bool) -> None:
        """Asks whether it shall be deleted, or no longer."""
        self.deleting = asked
