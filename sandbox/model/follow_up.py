"""Questions that build on the computed sum of an earlier answer: “and without Berlin?”."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox import ranking
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question

COMPUTE, ROWS = "compute", 200
_WITHOUT = re.compile(
    r"\b(?:without|except|excluding|ohne|außer)\s+(?:(?:the|der|die|das|den)\s+)?(\w[\w-]*)", re.IGNORECASE
)
_SUM = re.compile(
    r"SELECT\s+SUM\((?P<amount>[\w +]+)\)\s+AS\s+result\s+FROM\s+(?P<table>\w+)(?:\s+WHERE\s+(?P<where>.+))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Basis:
    """The earlier sum, and what is to be taken from it."""

    cell: str
    table: str
    amount: str
    where: str
    """The condition of the sum; empty for none."""
    files: list[str]
    word: str


def basis(conversation: Conversation, question: Question) -> Basis | None:
    """The sum that a question builds on; None if it builds on none."""
    asked = _WITHOUT.search(question.text)
    made = [one.output for one in conversation.before if one.call.name == COMPUTE and one.output is not None]
    last = next((one for one in reversed(made) if one.get("cell")), None)
    found = _SUM.fullmatch(" ".join(str(last.get("query")).split())) if last is not None else None
    if asked is None or last is None or found is None or len(last.get("rows") or ()) != 1:
        return None
    files = [str(one.get("url") or one.get("id")) for one in last.get("files") or ()]
    return Basis(str(last["cell"]), found["table"], found["amount"], found["where"] or "", files, asked[1])


def step(conversation: Conversation, found: Basis) -> Step | None:
    """The next step: the rows of its table, then the sum without those that have the word; None if none has it, or once
    it is computed.
    """
    outputs = [one.output for one in conversation.now if one.call.name == COMPUTE]
    if not outputs:
        query = f"SELECT * FROM {found.table} LIMIT {ROWS}"
        return Step("", (Call("", COMPUTE, {"files": found.files, "query": query}),))
    rows = outputs[0]
    condition = _condition(found, rows) if rows is not None and len(outputs) == 1 else None
    if condition is None:
        return None
    # The rows that are taken away are of the sum: its condition holds for them as well.
    where = f"({found.where}) AND {condition}" if found.where else condition
    taken = f"SELECT coalesce(sum({found.amount}), 0) FROM {found.table} WHERE {where}"
    query = f"SELECT (SELECT result FROM {found.cell}) - ({taken}) AS result"
    return Step("", (Call("", COMPUTE, {"files": found.files, "query": query, "cells": [found.cell]}),))


def _condition(found: Basis, rows: Mapping[str, Any]) -> str | None:
    """The column of texts that has the word, and the text."""
    wanted = ranking.stem(found.word)
    for at, column in enumerate(rows.get("columns") or ()):
        for text in dict.fromkeys(row[at] for row in rows["rows"] if isinstance(row[at], str)):
            if any(ranking.stem(one) == wanted for one in ranking.words(text)):
                return f"{column['name']} = '{text.replace(chr(39), chr(39) * 2)}'"
    return None
