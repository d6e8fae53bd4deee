"""The hosts that a chat knows, for its links. Pure."""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from leaf import parts
from leaf.citations import hosts
from leaf.services import chats


def known(messages: Iterable[chats.Message]) -> dict[str, str]:
    """The hosts that the tools of a chat have found and its people have named, each as it is shown."""
    found: dict[str, str] = {}
    for message in messages:
        if message not in _hosts:
            is_asked = message.role == "user"
            text = parts.text_of(message.as_ui_message()) if is_asked else ""
            _hosts[message] = hosts.named(text) if is_asked else hosts.found(message.parts)
        found |= _hosts[message]
    return found


_hosts: WeakKeyDictionary[chats.Message, dict[str, str]] = WeakKeyDictionary()
