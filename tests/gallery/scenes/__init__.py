"""Every scene, in the order of the gallery."""

from itertools import chain

from tests.gallery.scene import Scene
from tests.gallery.scenes import account, answers, chats, dialogs, displays, landing, panels, troubles, writing

SCENES: tuple[Scene, ...] = tuple(
    chain.from_iterable(
        module.chapter.scenes
        for module in (landing, chats, writing, answers, displays, panels, dialogs, troubles, account)
    )
)
