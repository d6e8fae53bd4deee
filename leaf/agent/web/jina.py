"""Jina Reader (jina.ai/reader): a page or PDF as Markdown, rendered by a browser."""

from pydantic_ai.exceptions import ToolFailed

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import Extract
from leaf.agent.web.services import Service


def service(settings: config.Settings) -> Service:
    """Jina Reader, with the key of the settings where there is one."""
    headers = {"Accept": "application/json", "X-Retain-Images": "none"}
    if settings.jina_api_key:
        headers["Authorization"] = f"Bearer {settings.jina_api_key}"
    return Service("Jina Reader", settings.jina_base_url, headers, "JINA_API_KEY")


async def extract(settings: config.Settings, url: str) -> Extract:
    """The text of a page, its title, and where it was in the end.

    Raises:
        ToolFailed: Jina refuses, or cannot read the page.
    """
    jina = service(settings)
    answer = await services.ask(jina, "POST", "/", json={"url": url}, seconds=45)
    data = answer.get("data")
    if not isinstance(data, dict):
        raise services.unreadable(jina)
    title, text, final = data.get("title"), data.get("content"), data.get("url")
    if not isinstance(text, str) or not text.strip():
        raise ToolFailed("Jina Reader could not read this page.")
    return Extract(text, title if isinstance(title, str) else "", final if isinstance(final, str) else "")
