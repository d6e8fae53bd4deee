"""Writes a generated Drive to disk."""

import json
import os
from pathlib import Path

from sandbox.generate import drive, questions
from sandbox.generate.drive import Drive


def write(folder: Path, count: int, seed: int) -> Drive:
    """Writes a Drive of `count` files into a folder without a `.leaf`; returns its plan."""
    made = drive.plan(count, seed)
    about = folder / ".leaf"
    about.mkdir(parents=True)
    known: dict[str, dict[str, object]] = {}
    for file in made.files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content())
        if file.sparse_bytes:
            os.truncate(path, file.sparse_bytes)
        moment = file.modified.timestamp()
        os.utime(path, (moment, moment))
        known[file.path] = {"owner": file.owner, "modified": file.modified.isoformat(), "readers": file.readers}
        if file.name is not None:
            known[file.path]["name"] = file.name
    _keep(about / "drive.json", {"files": known})
    _keep(about / "questions.json", {"facts": questions.facts(made), "questions": questions.of(made)})
    return made


def _keep(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
