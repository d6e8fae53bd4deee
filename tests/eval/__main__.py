"""`python -m tests.eval [--model provider:name] [--only REGEX] [--files N --seed N] [--out FILE] [--before FILE]`.

Asks the questions of questions.toml through everything that a question goes through: the service, the queue, a worker,
its agent, Drive over HTTP. Then it asks those of a generated Drive, of which the worker has made an index, and prints
the recall of the search alone beside the answers (`--search`: without the answers). Keys of providers are read from the
environment, as for Leaf itself. `--out` records the answers as they come; `--replay` judges such a recording instead of
asking. With `--before` it compares with an earlier recording, and ends with 1 where an answer has become wrong.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path

from tests.eval import asking, cases, generated, judging, report, transcript
from tests.eval.cases import Case
from tests.eval.report import Result
from tests.eval.system import System
from tests.eval.transcript import Answer, Recording

MODEL = "sandbox:sandbox-0"
FILES, SEED = 300, 1
"""The generated Drive, unless another one is asked for."""


async def evaluate(recording: Recording, only: str, at_once: int) -> None:
    """Asks the questions about the sample."""
    questions = cases.load(only)
    if not questions:
        return
    async with System(recording.run.model) as system:
        await asking.ask_all(system, questions, at_once=at_once, told=_teller(recording, None))


async def evaluate_generated(
    recording: Recording, only: str, at_once: int, *, search: bool
) -> dict[str, tuple[float, float]]:  # fmt: skip
    """Indexes a generated Drive, searches for its questions, and asks them of the model unless `search` is enough.

    Returns:
        Recall@5 and recall@20 of the search alone, by category.
    """
    run = recording.run
    with tempfile.TemporaryDirectory(prefix="leaf-drive-") as folder:
        drive = generated.write(Path(folder) / "drive", run.files, run.seed)
        questions = [case for case in drive.cases if re.search(only, f"{case.category}/{case.id}")]
        async with System(run.model, drive=drive.folder) as system:
            actor = system.actors["ada"]
            state = await generated.indexed(system, actor, system.connected["ada"])
            searched = await generated.searched(actor, drive.paths, questions)
            sys.stdout.write(
                f"\nA generated Drive: --files {run.files} --seed {run.seed}\n\n{generated.index_table(state)}\n\n"
            )
            sys.stdout.write(f"{generated.table(searched)}\n\n{generated.by_format(searched)}\n")
            if search or not questions:
                return {}
            told = _teller(recording, drive.paths)
            await asking.ask_all(system, questions, of="generated", at_once=at_once, told=told)
    return generated.recalls(searched)


def shown(results: list[Result], recalls: dict[str, tuple[float, float]] | None = None) -> str:
    """The tables of both sets, and the answers that are not right."""
    sets = [
        (name, [one for one in results if one.answer.of == of], table)
        for of, name, table in (("sample", "The sample", None), ("generated", "The generated Drive", recalls or None))
    ]
    return "\n\n".join(
        f"{name}:\n\n{report.table(of, table)}\n\n{report.wrong(of)}" for name, of, table in sets if of
    )  # fmt: skip


def compared(results: list[Result], before: Path) -> int:
    """Prints the differences to an earlier recording; 1 where an answer has become wrong."""
    earlier = report.judged(transcript.read(before))
    sys.stdout.write(f"\nCompared with {before}:\n\n{report.compared(earlier, results)}\n")
    return 1 if report.regressions(earlier, results) else 0


def main() -> int:
    """Evaluates, or judges a recording, and prints the tables."""
    arguments = _arguments()
    recalls: dict[str, tuple[float, float]] = {}
    if arguments.replay is not None:
        run = transcript.read(arguments.replay)
        results = [one for one in report.judged(run) if re.search(arguments.only, f"{one.case.category}/{one.case.id}")]
        sys.stdout.write(
            f"{run.model}, {run.began}, --files {run.files} --seed {run.seed}: "
            f"{len(run.answers)} answers, of which {len(run.answers) - len(results)} are left out\n\n"
        )
    else:
        run = transcript.begun(arguments.model, arguments.files, arguments.seed)
        recording = Recording(None if arguments.search else arguments.out, run)
        if not arguments.search:
            asyncio.run(evaluate(recording, arguments.only, arguments.at_once))
        if arguments.files:
            only, at_once, search = arguments.only, arguments.at_once, arguments.search
            recalls = asyncio.run(evaluate_generated(recording, only, at_once, search=search))
        results = report.judged(recording.whole)
    if arguments.search:
        return 0
    if not results:
        sys.stderr.write(f"No question matches {arguments.only!r}.\n")
        return 2
    sys.stdout.write(f"\n{shown(results, recalls)}\n")
    return compared(results, arguments.before) if arguments.before is not None else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--model", default=MODEL, help="provider:name")
    parser.add_argument("--only", default="", help="a regular expression for category/id")
    parser.add_argument("--out", type=Path, help="a file that records the answers, as lines of JSON")
    parser.add_argument("--replay", type=Path, help="an earlier --out that is judged instead of asking a model")
    parser.add_argument("--before", type=Path, help="an earlier --out to compare with")
    parser.add_argument("--at-once", type=int, default=8, help="how many questions are asked at the same time")
    parser.add_argument("--files", type=int, default=FILES, help="the size of the generated Drive; 0 for none")
    parser.add_argument("--seed", type=int, default=SEED, help="the seed of the generated Drive")
    parser.add_argument("--search", action="store_true", help="measures the search over the generated Drive alone")
    return parser.parse_args()


def _teller(recording: Recording, known: dict[str, str] | None):
    def told(case: Case, answer: Answer) -> None:
        recording.add(answer)
        problems = judging.judge(case, answer.status, answer.parts, known).problems
        sys.stderr.write(f"{'WRONG' if problems else 'right'}  {case.id}  {'; '.join(problems)}\n")

    return told


if __name__ == "__main__":
    sys.exit(main())
