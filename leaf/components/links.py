"""Addresses of Leaf's HTTP routes, for forms and links that leave the pages."""

from reflex.utils.exec import is_prod_mode
from reflex_base.config import get_config


def backend(path: str) -> str:
    """Where an HTTP route answers.

    Args:
        path: It begins with a slash.

    Returns:
        The path itself in production, where pages and routes share an origin; with the development server, which has a
        port of its own for each, the full address.
    """
    return path if is_prod_mode() else get_config().api_url.rstrip("/") + path
