"""`python -m tests.scale`: measures a system of several processes, also with faults; exits with 1 on failures."""

import argparse
import asyncio
import logging
import sys

from tests.chaos.bench import Bench
from tests.scale.faults import SCALED
from tests.scale.load import Load
from tests.scale.system import ScaledSystem


async def _run(arguments: argparse.Namespace) -> int:
    system = ScaledSystem(webs=arguments.web, workers=arguments.workers)
    system.previous = arguments.previous
    failures = 0
    try:
        await system.start()
        _print(f"{arguments.web} web processes, {arguments.workers} workers: {system.nginx.url}")
        if arguments.answers:
            load = Load(
                system, answers=arguments.answers, followers=arguments.followers, seconds=arguments.seconds,
                words=arguments.words,
            )  # fmt: skip
            before = system.consumed()
            await load.run()
            used = {kind: seconds - before[kind] for kind, seconds in system.consumed().items()}
            failures += load.incomplete
            _print("\n".join(["", load.report(), "", *load.errors[:10]]))
            _print("CPU: " + ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in used.items()))
        if arguments.faults:
            bench = Bench(arguments.trials, arguments.seed, arguments.faults, faults=SCALED)
            await bench.against(system)
            failures += len(bench.violations)
            _print("\n".join(["", bench.report(), "", *(f"violation: {one}" for one in bench.violations)]))
            _print(f"{arguments.trials} trials, {len(bench.violations)} violations")
    finally:
        await system.stop()
    return failures


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Parses the arguments, and measures the system."""
    parser = argparse.ArgumentParser(prog="python -m tests.scale", description=__doc__)
    parser.add_argument("--web", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--followers", type=int, default=5, help="readers of each answer, besides the person who asks")
    parser.add_argument("--words", type=int, default=200, help="words of each answer, which are written every 20 ms")
    parser.add_argument("--seconds", type=float, default=10, help="the time over which the questions are spread")
    parser.add_argument("--faults", default="", help="a regular expression for the names of faults; `.` means all")
    parser.add_argument("--previous", default="", help="the commit of the previous version, for the upgrade fault")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    sys.exit(1 if asyncio.run(_run(arguments)) else 0)


if __name__ == "__main__":
    main()
