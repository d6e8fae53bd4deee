"""Parts of the sample that are generated, because they are too long to be written by hand."""

import csv
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\{\{([^}]+)\}\}")


def with_links(markdown: str, address: Callable[[str], str]) -> str:
    """Replaces paths such as `{{ada:/Folder/File}}` by their addresses."""
    return _LINK.sub(lambda match: address(match.group(1)), markdown)


def field_reports(sources: Path) -> Iterator[dict[str, Any]]:
    """Yields a manifest entry for each row of `field-reports.csv`.

    Args:
        sources: The folder of the sample.
    """
    with (sources / "field-reports.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            day = datetime.fromisoformat(row["date"]).replace(hour=15, tzinfo=UTC)
            name = f"Field report {row['number']} – {row['orchard']}, block {row['block']}"
            yield {
                "path": f"ada:/Field reports 2025/{name}",
                "kind": "doc",
                "modified": day,
                "created": day,
                "text": (
                    f"# Field report {row['number']}\n\n"
                    f"- Date: {row['date']}\n- Orchard: {row['orchard']}\n- Block: {row['block']}\n"
                    f"- Variety: {row['variety']}\n- Inspector: {row['inspector']}\n\n## Measurements\n\n"
                    f"| Measure | Value |\n|---|---|\n| Codling moth trap count | {row['moths']} |\n"
                    f"| Soil moisture (%) | {row['moisture']} |\n| Sugar (degrees Brix) | {row['brix']} |\n\n"
                    f"## Remarks\n\n{row['remarks']}\n"
                ),
            }


def sensor_log() -> str:
    """The Markdown of a document of about 11 MB, with a reading of each sensor for every 15 minutes of a season."""
    lines = [
        "# Sensor log, season 2025 (complete)",
        "The highest soil temperature of the season, 31.4 degrees, was read by sensor S-07 on day 198 in Hillside.",
    ]
    # Each number is formatted only once, so that this takes a fraction of a second.
    temperatures = [f"{14 + tenth / 10:.1f}C " for tenth in range(160)]
    moistures = [f"{22 + tenth / 10:.1f}%" for tenth in range(190)]
    sensors = [(sensor, f" S-{sensor:02d} ") for sensor in range(1, 33)]
    for day in range(120, 280):
        readings = [
            clock + name + temperatures[(heat + sensor * 5) % 160] + moistures[(wet + sensor * 11) % 190]
            for hour in range(24)
            for minute in (0, 15, 30, 45)
            for clock, heat, wet in [(f"{hour:02d}:{minute:02d}", day * 7 + hour * 3 + minute, day * 3 + hour + minute)]
            for sensor, name in sensors
        ]
        lines += [f"## Day {day}", "; ".join(readings)]
    return "\n\n".join(lines) + "\n"


TEXTS: dict[str, Callable[[], str]] = {"sensor_log": sensor_log}
"""The functions that generate texts, by their names in the manifest."""
