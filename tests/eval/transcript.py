"""Recorded answers of an evaluation, as lines of JSON: judged later, and again, without a model.

The first line describes the run: `format`, `model`, `files` and `seed` of the generated Drive (0 files: none), `began`.
Each further line is an answer: the set (`sample` or `generated`) and the `id` of its question, the words that were
`asked`, and what came of them. The questions themselves are made anew from the sample and the seed. Of one whose words
are others by now, the answer is left out. docs/evaluation.md describes the format.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sandbox.generate import drive as drives
from sandbox.generate import questions
from tests.eval import cases
from tests.eval.cases import Case

FORMAT = "leaf-evaluation/1"
Set = Literal["sample", "generated"]


@dataclass(frozen=True)
class Answer:
    """The stored answer to a question, and what it took."""

    of: Set
    id: str
    asked: list[str]
    status: str
    parts: list[dict[str, Any]]
    """The parts of the message, as Leaf keeps them."""
    requests: int
    """Requests to the model."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """The cost; None if the model's price is unknown."""
    seconds: float


@dataclass(frozen=True)
class Run:
    """What was asked of which model."""

    model: str
    files: int
    seed: int
    began: str
    answers: Sequence[Answer] = ()

    def questions(self) -> Iterator[tuple[Case, Answer, dict[str, str] | None]]:
        """Each answer with its question, and with the paths of the generated Drive's files by their ids."""
        sample = {one.id: one for one in cases.load()}
        generated: dict[str, Case] = {}
        known: dict[str, str] = {}
        if any(one.of == "generated" for one in self.answers):
            made = drives.plan(self.files, self.seed)
            generated = {one.id: one for one in map(Case.model_validate, questions.of(made))}
            known = {cases.id_of(file.path): file.path for file in made.files}
        for answer in self.answers:
            case = (sample if answer.of == "sample" else generated).get(answer.id)
            if case is not None and case.asks == answer.asked:
                yield case, answer, None if answer.of == "sample" else known


class Recording:
    """Writes the answers of a run as they come, so that a run that is broken off is not lost.

    Args:
        path: The file; None to write none.
        run: The run, which has no answers yet.
    """

    def __init__(self, path: Path | None, run: Run) -> None:
        self._path = path
        self.run = run
        self._answers: list[Answer] = []
        if path is not None:
            head = {key: value for key, value in asdict(run).items() if key != "answers"}
            path.write_text(json.dumps({"format": FORMAT, **head}) + "\n", "utf-8")

    def add(self, answer: Answer) -> None:
        """Keeps an answer."""
        self._answers.append(answer)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")

    @property
    def whole(self) -> Run:
        """The run with its answers so far."""
        return Run(self.run.model, self.run.files, self.run.seed, self.run.began, [*self._answers])


def begun(model: str, files: int, seed: int) -> Run:
    """A run that begins now."""
    return Run(model, files, seed, datetime.now(UTC).isoformat(timespec="seconds"))


def read(path: Path) -> Run:
    """A recorded run.

    Raises:
        ValueError: The file is none.
    """
    first, *lines = path.read_text("utf-8").splitlines() or [""]
    try:
        head = json.loads(first)
        if head.pop("format") != FORMAT:
            raise ValueError
        return Run(**head, answers=[Answer(**json.loads(line)) for line in lines if line.strip()])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no recorded evaluation ({FORMAT})") from error
