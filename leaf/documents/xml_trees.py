"""XML of office files as trees. Nothing outside the file is loaded, and no entity is replaced."""

from typing import Any


def tree_of(data: bytes, *, huge: bool = False) -> Any:
    """The root of a tree (lxml's).

    Args:
        data: The XML.
        huge: Whether it may be deeper, and its texts longer, than lxml allows by itself.

    Raises:
        SyntaxError: It is not XML.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=huge))
