"""`python -m tests.eval [--model provider:name] [--only REGEX] [--out FILE] [--before FILE] [--at-once 4]`.

Asks the questions of questions.toml through everything that a question goes through: the service, the queue, a worker,
its agent, Drive over HTTP. Prints a table. Keys of providers are read from the environment, as for Leaf itself. With
`--before` it lists what has become worse since an earlier `--out`, and ends with 1 where anything has.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from tests.eval import asking, cases, report
from tests.eval.asking import Result
from tests.eval.system import System

MODEL = "sandbox:sandbox-0"


async def evaluate(model: str, only: str, at_once: int) -> list[Result]:
    """Asks the questions of a model."""

    def told(result: Result) -> None:
        sys.stderr.write(f"{'right' if result.right else 'WRONG'}  {result.id}  {'; '.join(result.problems)}\n")

    async with System(model) as system:
        return await asking.ask_all(system, cases.load(only), at_once=at_once, told=told)


def main() -> int:
    """Evaluates, prints the table, and writes the JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--model", default=MODEL, help="provider:name")
    parser.add_argument("--only", default="", help="a regular expression for category/id")
    parser.add_argument("--out", type=Path, help="a file for all answers and figures, as JSON")
    parser.add_argument("--before", type=Path, help="an earlier --out to compare with")
    parser.add_argument("--at-once", type=int, default=4, help="how many questions are asked at the same time")
    arguments = parser.parse_args()
    if not cases.load(arguments.only):
        parser.error(f"--only: no question matches {arguments.only!r}")
    results = asyncio.run(evaluate(arguments.model, arguments.only, arguments.at_once))
    sys.stdout.write(f"{report.table(results)}\n\n{report.wrong(results)}\n")
    if arguments.out is not None:
        arguments.out.write_text(
            json.dumps(report.as_json(arguments.model, results), indent=1, ensure_ascii=False) + "\n"
        )
    if arguments.before is None:
        return 0
    earlier = json.loads(arguments.before.read_text())
    sys.stdout.write(f"\nCompared with {arguments.before}:\n\n{report.compared(earlier, results)}\n")
    return 1 if report.regressions(earlier, results) else 0


if __name__ == "__main__":
    sys.exit(main())
