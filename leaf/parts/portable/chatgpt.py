"""Converts a conversation from ChatGPT's export into a chat in Leaf's format. Pure.

A conversation has a `mapping` of nodes. Each node has a `parent` and at most one message; several children of a node
are branches. A single answer in Leaf is several nodes there: texts of the model, its tool calls and their results. The
format is undocumented. Nodes of an unexpected form are left out and counted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from leaf.parts.portable import chatgpt_parts
from leaf.parts.portable.files import Refused
from leaf.parts.portable.format import MOST_MESSAGES

_MOST_NODES: Final = 50_000
_MOST_PIECES: Final = 200_000
"""Maximum number of nodes in the answers of one conversation, where each branch repeats the nodes before it."""
_NO_QUESTION: Final = "…"
"""The question that is put before an answer that starts a conversation, such as a greeting."""


@dataclass
class _Node:
    id: str
    side: str
    message: Mapping[str, Any]
    at: datetime
    parent: str | None = None
    children: list[str] = field(default_factory=list[str])


def chat(value: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """A conversation in Leaf's format, and how many messages were left out.

    Raises:
        Refused: It is no conversation, is too large, has no messages, or its nodes form a cycle.
    """
    mapping = value["mapping"]
    if not isinstance(mapping, dict):
        raise Refused("wrong_form")
    if len(mapping) > _MOST_NODES:
        raise Refused("chat_too_large")
    begun = _time(value.get("create_time")) or _time(value.get("update_time"))
    nodes, left_out = _nodes(mapping, begun)
    if not nodes:
        raise Refused("no_messages")
    messages, ends = _messages(nodes)
    first = begun or min(one["at"] for one in messages)
    last = _time(value.get("update_time")) or max(one["at"] for one in messages)
    title = value.get("title")
    made = {
        "format": "leaf-chat", "version": 1, "title": title[:1000] if isinstance(title, str) else "",
        "created_at": first, "updated_at": last, "branch": _branch(value.get("current_node"), mapping, ends),
        "messages": messages,
    }  # fmt: skip
    return made, left_out


def _nodes(mapping: Mapping[str, Any], begun: datetime | None) -> tuple[dict[str, _Node], int]:
    """The nodes with content in tree order, each below the nearest such node above, and how many were left out."""
    parents = _parents(mapping)
    order = _order(mapping, parents)
    nodes: dict[str, _Node] = {}
    above: dict[str, str | None] = {}
    """The nearest node with content at or above each node."""
    left_out = 0
    for key in order:
        parent = parents[key]
        nearest = above.get(parent) if parent is not None else None
        above[key] = nearest
        message = mapping[key].get("message")
        if message is None:
            continue
        side = chatgpt_parts.side_of(message)
        if side is None:
            left_out += not chatgpt_parts.is_hidden(message)
            continue
        at = _time(message.get("create_time")) or (nodes[nearest].at if nearest is not None else begun)
        nodes[key] = _Node(key, side, message, at or datetime(2022, 11, 30, tzinfo=UTC), nearest)
        if nearest is not None:
            nodes[nearest].children.append(key)
        above[key] = key
    return nodes, left_out


def _parents(mapping: Mapping[str, Any]) -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    for key, node in mapping.items():
        if not isinstance(node, dict) or not key or len(key) > 200:
            raise Refused("wrong_form")
        parent = node.get("parent")
        parents[key] = parent if isinstance(parent, str) and parent in mapping else None
    return parents


def _order(mapping: Mapping[str, Any], parents: Mapping[str, str | None]) -> list[str]:
    """All nodes, each after its parent. The children of a node keep the order in which the node lists them."""
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    for parent, found in children.items():
        named = mapping[parent].get("children") if parent is not None else None
        if isinstance(named, list):
            places = {key: place for place, key in enumerate(named) if isinstance(key, str)}
            found.sort(key=lambda key: places.get(key, len(places)))
    order: list[str] = []
    waiting = [*reversed(children.get(None, []))]
    while waiting:
        key = waiting.pop()
        order.append(key)
        waiting += reversed(children.get(key, []))
    if len(order) < len(parents):
        raise Refused("tree")
    return order


def _messages(nodes: Mapping[str, _Node]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The messages, and the id of the message that ends at a node, by node.

    A message is a sequence of nodes of the same side. If such a sequence branches, each branch becomes a version that
    contains the whole sequence.
    """
    messages: list[dict[str, Any]] = []
    ends: dict[str, str] = {}
    pieces = 0
    for key, node in nodes.items():
        below = [nodes[one].side for one in node.children]
        if below and all(side == node.side for side in below):
            continue
        run = [*_run(nodes, node)]
        pieces += len(run)
        parent = ends.get(run[0].parent) if run[0].parent is not None else None
        if node.side == "assistant" and parent is None:
            parent = f"{key}:question"
            messages.append(_message(parent, None, "user", run[0], {"parts": [{"type": "text", "text": _NO_QUESTION}]}))
        messages.append(_message(key, parent, node.side, run[0], chatgpt_parts.made(one.message for one in run)))
        ends[key] = key
        if len(messages) > MOST_MESSAGES or pieces > _MOST_PIECES:
            raise Refused("chat_too_large")
    return messages, ends


def _message(key: str, parent: str | None, role: str, first: _Node, body: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": key, "parent": parent, "role": role, "at": first.at, **body}


def _run(nodes: Mapping[str, _Node], last: _Node) -> Iterator[_Node]:
    """The nodes of the same side that lead to a node, from the first one to the node itself."""
    run = [last]
    while run[-1].parent is not None and nodes[run[-1].parent].side == last.side:
        run.append(nodes[run[-1].parent or ""])
    return reversed(run)


def _branch(current: Any, mapping: Mapping[str, Any], ends: Mapping[str, str]) -> str | None:
    """The message that was shown last: the one at the current node, or the nearest above it; None if there is none."""
    for _ in range(len(mapping)):
        if not isinstance(current, str) or current in ends or current not in mapping:
            break
        current = mapping[current].get("parent")
    return ends.get(current) if isinstance(current, str) else None


def _time(value: Any) -> datetime | None:
    """A time from seconds since 1970; None for an implausible value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 631_152_000 <= value < 4_102_444_800:
        return None
    return datetime.fromtimestamp(value, UTC)
