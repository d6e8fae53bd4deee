"""A scene, and the list to which each module of `tests.gallery.scenes` adds its own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Page

from tests.gallery.stage import Stage

Play = Callable[[Stage], Awaitable[Page]]
Pose = Callable[[Page], Awaitable[object]]


@dataclass(frozen=True)
class Scene:
    """A page in a state."""

    name: str
    """The name of its pictures' files."""
    title: str
    chapter: str
    play: Play
    """Leads there; gives the tab."""
    pose: Pose | None
    """The steps before each picture: hovering, scrolling, and others that a change of the width undoes."""


class Chapter:
    """The scenes of one kind, in their order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scenes: list[Scene] = []

    def scene(self, name: str, title: str, pose: Pose | None = None) -> Callable[[Play], Play]:
        """Adds a scene; its name stands in the names of its pictures."""

        def add(play: Play) -> Play:
            self.scenes.append(Scene(name, title, self.name, play, pose))
            return play

        return add
