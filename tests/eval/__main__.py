"""`python -m tests.eval [--model provider:name] [--only REGEX] [--files N --seed N] [--out FILE] [--before FILE]`.

Asks the questions of questions.toml through everything that a question goes through: the service, the queue, a worker,
its agent, Drive over HTTP. Then it asks those of a generated Drive, of which the worker has made an index, and prints
the recall of the search alone beside the answers (`--search`: without the answers). Keys of providers are read from the
environment, as for Leaf itself. With `--before` it lists what has become worse since an earlier `--out`, and ends with
1 where anything has.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from pathlib import Path

from tests.eval import asking, cases, generated, report
from tests.eval.asking import Result
from tests.eval.system import System

MODEL = "sandbox:sandbox-0"
FILES, SEED = 600, 1
"""The generated Drive, unless another one is asked for."""


def _told(result: Result) -> None:
    sys.stderr.write(f"{'right' if result.right else 'WRONG'}  {result.id}  {'; '.join(result.problems)}\n")


async def evaluate(model: str, only: str, at_once: int) -> list[Result]:
    """Asks the questions about the sample."""
    questions = cases.load(only)
    if not questions:
        return []
    async with System(model) as system:
        results = await asking.ask_all(system, questions, at_once=at_once, told=_told)
    sys.stdout.write(f"{report.table(results)}\n\n{report.wrong(results)}\n")
    return results


async def evaluate_generated(
    model: str, only: str, at_once: int, *, files: int, seed: int, search: bool
) -> list[Result]:  # fmt: skip
    """Indexes a generated Drive, searches for its questions, and asks them of the model unless `search` is enough."""
    with tempfile.TemporaryDirectory(prefix="leaf-drive-") as folder:
        drive = generated.write(Path(folder) / "drive", files, seed)
        questions = [case for case in drive.cases if re.search(only, f"{case.category}/{case.id}")]
        async with System(model, drive=drive.folder) as system:
            actor = system.actors["ada"]
            state = await generated.indexed(system, actor, system.connected["ada"])
            searched = await generated.searched(actor, drive.paths, questions)
            sys.stdout.write(
                f"\nA generated Drive: --files {files} --seed {seed}\n\n{generated.index_table(state)}\n\n"
            )
            sys.stdout.write(f"{generated.table(searched)}\n\n{generated.by_format(searched)}\n")
            if search or not questions:
                return []
            known = drive.paths
            results = await asking.ask_all(system, questions, at_once=at_once, told=_told, known=known)
    sys.stdout.write(f"\n{report.table(results, generated.recalls(searched))}\n\n{report.wrong(results)}\n")
    return results


def main() -> int:
    """Evaluates, prints the tables, and writes the JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--model", default=MODEL, help="provider:name")
    parser.add_argument("--only", default="", help="a regular expression for category/id")
    parser.add_argument("--out", type=Path, help="a file for all answers and figures, as JSON")
    parser.add_argument("--before", type=Path, help="an earlier --out to compare with")
    parser.add_argument("--at-once", type=int, default=4, help="how many questions are asked at the same time")
    parser.add_argument("--files", type=int, default=FILES, help="the size of the generated Drive; 0 for none")
    parser.add_argument("--seed", type=int, default=SEED, help="the seed of the generated Drive")
    parser.add_argument("--search", action="store_true", help="measures the search over the generated Drive alone")
    arguments = parser.parse_args()
    given = (arguments.model, arguments.only, arguments.at_once)
    results = [] if arguments.search else asyncio.run(evaluate(*given))
    if arguments.files:
        also = {"files": arguments.files, "seed": arguments.seed, "search": arguments.search}
        results += asyncio.run(evaluate_generated(*given, **also))
    if arguments.search:
        return 0
    if not results:
        parser.error(f"--only: no question matches {arguments.only!r}")
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
