"""`python -m sandbox.generate [--files 600] [--seed 1] [FOLDER]` writes a Drive to measure with.

The folder is then served by `python -m sandbox --drive FOLDER`, or by Leaf with `LEAF_SANDBOX_DRIVE=FOLDER`. Owners,
dates and readers are in `.leaf/drive.json`, the facts and the questions in `.leaf/questions.json`.
"""

import argparse
import json
import os
from pathlib import Path

from sandbox.generate import drive, questions
from sandbox.generate.drive import Drive


def write(folder: Path, count: int, seed: int) -> Drive:
    """Writes a Drive into an empty folder."""
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


def main() -> None:
    """Writes the Drive that the arguments describe."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.generate", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="a new folder; .leaf/drives/FILES-SEED where none is named")
    parser.add_argument("--files", type=int, default=600, help="how many files it has")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other files")
    arguments = parser.parse_args()
    folder: Path = arguments.folder or Path(".leaf", "drives", f"{arguments.files}-{arguments.seed}")
    if folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty")
    if not 10 <= arguments.files <= 12_000:
        parser.error("--files: from 10 to 12,000")
    made = write(folder, arguments.files, arguments.seed)
    print(f"{len(made.files)} files in {folder}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
