"""`python -m tests.chaos --trials N --seed S`: ends with `N trials, V violations`, and with 1 where V is not 0."""

import argparse
import asyncio
import logging
import sys

from tests.chaos.bench import Bench
from tests.chaos.system import QUEUES


def main() -> None:
    """Runs the bench and prints its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression for the names of faults")
    parser.add_argument("--queue", default="arq", choices=[*QUEUES], help="the queue of jobs")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    bench = Bench(arguments.trials, arguments.seed, arguments.only, queue=arguments.queue)
    asyncio.run(bench.run())
    sys.stdout.write(f"\n{bench.report()}\n\n")
    for violation in bench.violations:
        sys.stdout.write(f"violation: {violation}\n")
    sys.stdout.write(f"{arguments.trials} trials, {len(bench.violations)} violations\n")
    sys.exit(1 if bench.violations else 0)


if __name__ == "__main__":
    main()
