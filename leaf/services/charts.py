"""Charts of answers as files."""

from typing import Final
from uuid import UUID

from leaf import charts, errors, parts, texts
from leaf.db.session import Actor
from leaf.documents import isolation
from leaf.services import conversations, passages

TOOL: Final = "compute"


async def find(actor: Actor, run_id: UUID, call_id: str) -> charts.Chart:
    """A chart of a stored answer.

    Args:
        actor: A reader of the answer.
        run_id: The run that wrote it.
        call_id: The tool call that computed the values.

    Raises:
        errors.NotFound: There is no such chart for this reader, or Google does not confirm access to one of its files.
    """
    stored = await conversations.result(actor, run_id)
    wanted = [one for one in stored.parts if parts.is_tool(one) and one.get("toolCallId") == call_id]
    (shown,) = await passages.shown(actor, [wanted])
    for part in shown:
        if parts.tool_name(part) == TOOL and (found := charts.of(part.get("output"))) is not None:
            return found
    raise errors.NotFound("chart")


def svg(chart: charts.Chart, language: str) -> str:
    """A chart as an SVG file on a white background.

    Args:
        chart: The chart.
        language: The language of its numbers.
    """
    return charts.markup(charts.picture(chart, language, charts.summary(chart, texts.of(language))))


async def png(actor: Actor, chart: charts.Chart, language: str) -> bytes:
    """A chart as a PNG file at three times its size, so that it is sharp in print.

    Raises:
        documents.Unreadable: Drawing took too long, or the machine has no fonts.
    """
    return await isolation.drawn(svg(chart, language).encode(), owner=actor.user_id)
