"""Parses the XML of office files. Nothing outside the file is loaded, and entities are not expanded."""

from typing import Any


def tree_of(data: bytes, *, huge: bool = False) -> Any:
    """The root of the parsed tree, as lxml represents it.

    Args:
        data: The XML.
        huge: Whether to accept deeper trees and longer texts than lxml does by default.

    Raises:
        SyntaxError: It is not XML.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=huge))
