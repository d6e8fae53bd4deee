"""Addresses of Leaf's HTTP routes, for forms and links."""

from reflex.utils.exec import is_prod_mode
from reflex_base.config import get_config


def backend(path: str) -> str:
    """The address of an HTTP route.

    Args:
        path: The path, beginning with a slash.

    Returns:
        The path itself in production, where pages and routes share an origin. With the development server, which uses
        different ports, the full address.
    """
    return path if is_prod_mode() else get_config().api_url.rstrip("/") + path
