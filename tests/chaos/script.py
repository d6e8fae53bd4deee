"""Conversations whose right outcome is known to the letter.

A question carries its seed. Model, tools and checks derive everything else from that, so that they need not talk.
"""

import hashlib
import random
import re
from dataclasses import dataclass
from typing import Any

_DIRECTIVE = re.compile(r"\[chaos seed=(\d+)((?: [a-z_]+=[a-z0-9_.]+)*)\]")
_WORDS = (
    "apple",
    "pear",
    "plum",
    "quince",
    "crate",
    "ladder",
    "frost",
    "bloom",
    "graft",
    "cider",
    "press",
    "hive",
    "soil",
)
NOTE, WAIT = "keep_note", "wait_a_moment"


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One reply of the model."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Script:
    """The whole course of one answer. `options` are for the model and the tools, such as `provider=429`.

    With `words=n` the answer is so many words and calls no tool; with `gap=n` they are so many milliseconds apart.
    """

    seed: int
    options: dict[str, str]

    @classmethod
    def of(cls, question: str) -> "Script | None":
        """The script that a question names."""
        found = _DIRECTIVE.search(question)
        if found is None:
            return None
        options = dict(pair.split("=", 1) for pair in found[2].split())
        return cls(int(found[1]), options)

    @property
    def question(self) -> str:
        """The question."""
        options = "".join(f" {name}={value}" for name, value in self.options.items())
        return f"Please take notes and then tell me all. [chaos seed={self.seed}{options}]"

    @property
    def seconds(self) -> float:
        """The time that an answer of `words` takes by itself; that of all others is short."""
        return int(self.options.get("words", 0)) * int(self.options.get("gap", 0)) / 1000

    @property
    def key(self) -> str:
        """The name of the conversation where its faults are remembered."""
        return hashlib.sha256(self.question.encode()).hexdigest()[:16]

    def steps(self) -> list[Step]:
        """The replies of the model, the last one without a tool call."""
        drawn = random.Random(self.seed)
        if "words" in self.options:
            return [Step(self._prose(drawn, int(self.options["words"])))]
        wait = {"seconds": round(drawn.uniform(0.1, 0.6), 2), "mark": self._mark("wait")}
        first = (Call(NOTE, {"text": self._mark("first")}), Call(WAIT, wait))
        second = (Call(NOTE, {"text": self._mark("second")}),)
        return [
            Step(self._prose(drawn, 25), first),
            Step(self._prose(drawn, 15), second),
            Step(self._prose(drawn, 170)),
        ]

    def notes(self) -> list[str]:
        """The notes that the counting tool is to write, in order."""
        return [] if "words" in self.options else [self._mark("first"), self._mark("second")]

    def text(self) -> str:
        """The whole text of an answer that nothing has disturbed."""
        return "".join(step.text for step in self.steps())

    def _mark(self, name: str) -> str:
        return f"{name}-{self.key}"

    def _prose(self, drawn: random.Random, words: int) -> str:
        """Words, of which each one says where it stands, so that a gap or a repetition cannot hide."""
        return " ".join(f"{drawn.choice(_WORDS)}{number}" for number in range(words)) + ".\n\n"
