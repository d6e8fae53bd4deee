"""`python -m tests.bench [--out FILE] [--only REGEX] [--rounds 5]`: how fast Leaf is, as a table and as JSON.

Production mode with all durability on: the pages that `reflex run --env prod` serves, a worker, PostgreSQL, Redis with
its append-only file, a provider that paces tokens and notes when it sent each, and a headless Chromium that notes when
each is painted. It measures and never judges: there is no pass or fail on time.
"""

import argparse
import json
import platform
import re
import sys
import time
from pathlib import Path

import uvloop
from playwright import async_api as playwright_api

from leaf import errors
from tests.bench import crowd, index, living, opening, page, turn
from tests.bench.figures import Figures
from tests.bench.system import System

APART = {"index": index.measure, "living": living.measure}
"""Measured with services of their own."""
SCENARIOS = {**page.SCENARIOS, **opening.SCENARIOS, **crowd.SCENARIOS, **turn.SCENARIOS}


async def measure(only: str, rounds: int) -> Figures:
    """Runs the scenarios whose name matches the expression."""
    figures = Figures(rounds)
    for name, apart in APART.items():
        if re.search(only, name):
            await apart(figures)
    if not any(re.search(only, name) for name in SCENARIOS):
        return figures
    async with System() as system:
        await page.warm(system)
        for name, scenario in SCENARIOS.items():
            if re.search(only, name):
                sys.stdout.write(f"{name} ...\n")
                sys.stdout.flush()
                try:
                    await scenario(system, figures)
                except (AssertionError, TimeoutError, errors.LeafError, playwright_api.Error) as error:
                    sys.stdout.write(f"    was not measured: {type(error).__name__}: {error}\n")
    return figures


def main() -> None:
    """Measures, prints the table, and writes the JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--out", type=Path, help="a file for all values, as JSON")
    parser.add_argument("--only", default="", help="a regular expression for the names of scenarios")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    figures = uvloop.run(measure(arguments.only, arguments.rounds))
    machine = {"machine": platform.machine(), "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")}
    sys.stdout.write(f"\n{figures.table()}\n")
    if arguments.out is not None:
        arguments.out.write_text(json.dumps({**machine, "figures": figures.as_json()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
