"""The golden streams: chunks of whole runs, as workers write them, by name."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden" / "streams"
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))


def chunks_of(name: str) -> list[dict[str, Any]]:
    """The chunks of one stream."""
    return json.loads((FOLDER / f"{name}.json").read_text())
