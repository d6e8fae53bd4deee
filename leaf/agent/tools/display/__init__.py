"""The agent's tools that show something in the answer: a plan, a table, sources, a page, or options to choose from.

Each tool returns its validated input, and the page draws it (`leaf.components.displays`).
"""

from typing import Any

from pydantic_ai import FunctionToolset, RunContext

from leaf import errors
from leaf.agent import approval
from leaf.agent.deps import Deps
from leaf.agent.tools import strict
from leaf.agent.tools.display import fields, sources
from leaf.agent.tools.display.shapes import Citations, LinkPreview, OptionList, Plan, Shown
from leaf.agent.tools.display.table import Table

INSTRUCTIONS = (
    "Where steps, a table of figures, a list of sources, one page or a choice say it better than prose, show it with "
    "the display tool that is made for it, where there is one, and do not say the same again in the text."
)
_INSTEAD = "Do not call this tool for it again: say it in Markdown."


async def show(ctx: RunContext[Deps], given: Shown) -> dict[str, Any]:
    """Returns an input for the page, if all of its addresses are known in this run."""
    sources.check(given.addresses(), ctx.messages)
    return given.output()


async def preview(ctx: RunContext[Deps], given: LinkPreview) -> dict[str, Any]:
    """Returns the card of a web page. The page's own preview fills fields that the model left out (`Deps.preview`)."""
    sources.check(given.addresses(), ctx.messages)
    if ctx.deps.preview is None or (given.title and given.description):
        return given.output()
    if approval.outgoing_page(ctx, given.url):
        return given.output()  # A card is not worth an approval.
    try:
        page = await ctx.deps.preview(given.url)
    except errors.LeafError:
        return given.output()  # Without a preview, the card still links to the page.
    cleaned = {
        "title": given.title or fields.one_line(page.title)[: fields.LINE_CHARACTERS],
        "description": given.description or fields.lines(page.description)[: fields.TEXT_CHARACTERS],
    }
    return given.model_copy(update={name: text or None for name, text in cleaned.items()}).output()


def toolset() -> FunctionToolset[Deps]:
    """Returns the display tools."""
    return FunctionToolset[Deps](
        [
            strict.tool("displayPlan", Plan, show, instead=_INSTEAD),
            strict.tool("displayTable", Table, show, instead=_INSTEAD),
            strict.tool("displayCitations", Citations, show, instead=_INSTEAD),
            strict.tool("displayLinkPreview", LinkPreview, preview, instead=_INSTEAD),
            strict.tool("displayOptionList", OptionList, show, instead=_INSTEAD),
        ],
        id="display",
        max_retries=strict.UNLIMITED_RETRIES,
        instructions=INSTRUCTIONS,
    )
