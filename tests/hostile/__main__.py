"""`python -m tests.hostile [--only REGEX] [--texts N]`: the longest wait of a member beside hostile texts.

Every surface gets the whole set of texts (`tests.hostile.KINDS`) at the largest size that it takes, or a choice
where its texts are very large. Meanwhile the other member lists chats, types and follows an answer. The table has for
each surface the longest wait in milliseconds, and the text that caused it.
"""

import argparse
import asyncio
import re
import sys
import time
from contextlib import suppress

import httpx

from leaf.telemetry import responsiveness
from tests.hostile import text_of
from tests.hostile.surfaces import SURFACES
from tests.hostile.system import System

LONGEST_MS = 200.0
CALM_SECONDS = 5.0
_KINDS = ("list", "type", "follow")


async def measure(only: str, most: int) -> bool:
    """Sends the texts and prints the table; returns whether every wait was short enough."""
    short = True
    async with System() as system:
        # A collection over all that is loaded here would take one of two cores for 0.3 s.
        responsiveness.prepare()
        await asyncio.sleep(CALM_SECONDS)
        begun = time.time()
        await asyncio.sleep(CALM_SECONDS)
        _line("surface", "texts", *_KINDS, "worst text", "answers")
        _line("---", "---", *("---:" for _ in _KINDS), "---", "---")
        calm = system.longest(begun, time.time())
        _line("(nothing is sent)", "", *(f"{calm.get(kind, 0):.0f}" for kind in _KINDS), "", "")
        for name, surface in SURFACES.items():
            if not re.search(only, name):
                continue
            worst: dict[str, float] = {}
            culprit, sent = "", 0
            system.answers.clear()
            for kind in list(surface.kinds)[: most or None]:
                text, begun = text_of(kind, surface.characters), time.time()
                # A body that is too large is refused before all of it was read, which may cut its connection.
                with suppress(httpx.ReadError, httpx.WriteError):
                    await surface.attack(system, kind, text)
                ended = time.time()
                await system.settle()
                longest = system.longest(begun, ended)
                if max(longest.values(), default=0.0) > max(worst.values(), default=0.0):
                    culprit = kind
                worst = {one: max(worst.get(one, 0.0), longest.get(one, 0.0)) for one in _KINDS}
                sent += 1
            short = short and max(worst.values()) <= LONGEST_MS
            waits = [f"{worst[one]:.0f}" for one in _KINDS]
            _line(name, f"{sent} × {surface.characters:,}", *waits, culprit, _statuses(system))
    return short


def _statuses(system: System) -> str:
    return ", ".join(f"{count} × {status}" for status, count in sorted(system.answers.items()))


def _line(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def main() -> None:
    """Measures, and fails if someone had to wait."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression for the names of surfaces")
    parser.add_argument("--texts", type=int, default=0, help="the number of texts for each surface; all by default")
    arguments = parser.parse_args()
    if not asyncio.run(measure(arguments.only, arguments.texts)):
        sys.stdout.write(f"A member had to wait for more than {LONGEST_MS:g} ms.\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
