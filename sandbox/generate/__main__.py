"""`python -m sandbox.generate [--files 600] [--seed 1] [FOLDER]` writes a Drive to measure with.

The folder is then served by `python -m sandbox --drive FOLDER`, or by Leaf with `LEAF_SANDBOX_DRIVE=FOLDER`. Owners,
dates and readers are in `.leaf/drive.json`, the facts and the questions in `.leaf/questions.json`.
"""

import argparse
from pathlib import Path

from sandbox.generate import folder as drives


def main() -> None:
    """Writes the Drive that the arguments describe."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.generate", description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", help="a new folder; .leaf/drives/FILES-SEED where none is named"
    )
    parser.add_argument("--files", type=int, default=600, help="how many files it has")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other files")
    arguments = parser.parse_args()
    folder: Path = arguments.folder or Path(".leaf", "drives", f"{arguments.files}-{arguments.seed}")
    if folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty")
    if not 10 <= arguments.files <= 12_000:
        parser.error("--files: from 10 to 12,000")
    made = drives.write(folder, arguments.files, arguments.seed)
    print(f"{len(made.files)} files in {folder}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
