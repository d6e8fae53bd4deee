"""A chart of an answer as a file."""

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
        call_id: The call of the tool that computed its values.

    Raises:
        errors.NotFound: There is no such chart for this reader, or Google does not confirm one of its files now.
    """
    stored = await conversations.result(actor, run_id)
    wanted = [one for one in stored.parts if parts.is_tool(one) and one.get("toolCallId") == call_id]
    (shown,) = await passages.shown(actor, [wanted])
    for part in shown:
        if parts.tool_name(part) == TOOL and (found := charts.of(part.get("output"))) is not None:
            return found
    raise errors.NotFound("chart")


def svg(chart: charts.Chart, language: str) -> str:
    """A chart as an SVG file, on white.

    Args:
        chart: The chart.
        language: The language of its numbers.
    """
    return charts.markup(charts.picture(chart, language, charts.summary(chart, texts.of(language))))


async def png(actor: Actor, chart: charts.Chart, language: str) -> bytes:
    """A chart as a PNG file, three times as large, so that it is sharp on paper.

    Raises:
        documents.Unreadable: It took too long, or the machine has no fonts.
    """
    return await isolation.drawn(svg(chart, language).encode(), owner=actor.user_id)
