"""`python -m tests.chaos.index --trials N --seed S`: ends with `N trials, V violations`; with 1 where V is not 0."""

import argparse
import asyncio
import logging
import sys
from contextlib import suppress

from tests.chaos.index.bench import Bench


def main() -> None:
    """Runs the bench and prints its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.index", description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    bench = Bench(arguments.trials, arguments.seed)
    with suppress(KeyboardInterrupt):  # The trials so far count.
        asyncio.run(bench.run())
    sys.stdout.write(f"\n{bench.report()}\n\n")
    for violation in bench.violations:
        sys.stdout.write(f"violation: {violation}\n")
    sys.stdout.write(f"{bench.done} trials, {len(bench.violations)} violations\n")
    sys.exit(1 if bench.violations else 0)


if __name__ == "__main__":
    main()
