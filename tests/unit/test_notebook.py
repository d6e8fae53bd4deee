"""Computations as a script and a notebook: both run with DuckDB alone, and give what Leaf has computed."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from leaf import texts
from leaf.documents.model import Segment
from leaf.documents.tables import Cell, Refused, Source, engine, notebook

COSTS = (
    'City;Cost (EUR);Day;Note\nBonn;10,50;03.01.2026;a "quoted" note\nBerlin;1.020,00;14.02.2026;\n'
    "Ulm;;15.02.2026;back\\slash\nRome;5,00;16.02.2026;=cmd|' /C calc'!A0\n"
)
OTHERS = "City;Cost (EUR)\nUlm;5\nBerlin;7\n"
CELLS = [
    Cell("total", "SELECT sum(cost_eur) AS total FROM costs", ["a"]),
    Cell("notes", "SELECT count(*) AS n FROM costs WHERE note LIKE '%\\%' OR note = 'it''s \"\"\"\u202ex'", ["a"]),
    Cell(
        "rest",
        "WITH berlin AS (SELECT cost_eur AS c FROM costs WHERE city = 'Berlin') "
        "SELECT (SELECT total FROM total) - sum(c) AS rest FROM berlin",
        ["b", "a"],
    ),
    # The name of a table of another file.
    Cell("costs_2", "SELECT rest / 2 AS half, (SELECT max(day) FROM costs_2) AS last FROM rest", ["b", "a"]),
]


def sources(costs: str = COSTS) -> list[Source]:
    written = (("a", costs), ("b", OTHERS))
    return [Source(key, "1", "costs.csv", "csv", [Segment("all", None, text)]) for key, text in written]


def exported(cells: list[Cell] = CELLS, costs: str = COSTS) -> dict[str, Any]:
    made = engine.answer(
        {"export": True, "cells": [one.data() for one in cells]}, [one.body() for one in sources(costs)]
    )
    assert "refused" not in made
    return made


def computed(cell: Cell) -> list[Any]:
    """The result that Leaf has for a cell."""
    at = CELLS.index(cell)
    earlier = [one.data() for one in CELLS[:at]]
    own = sorted(sources(), key=lambda one: [*cell.files, one.file_id].index(one.file_id))
    return engine.answer({"query": cell.query, "cells": earlier}, [one.body() for one in own])["rows"]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    made = exported()
    say = texts.of("de")
    (tmp_path / "data").mkdir()
    (tmp_path / "cells.py").write_text(notebook.script(made, ['Costs """\nimport antigravity', "x"], say))
    (tmp_path / "cells.ipynb").write_text(notebook.notebook(made, ["Costs"], say))
    for table in made["tables"]:
        (tmp_path / "data" / notebook.file_of(table)).write_bytes(notebook.data_of(table))
    return tmp_path


def results(folder: Path, code: str, *names: str) -> dict[str, Any]:
    """The rows of cells and tables after the code has run in a process of its own, elsewhere than in Leaf."""
    wanted = json.dumps([*names] or [one.name for one in CELLS])
    asked = f"rows = {{name: con.table(name).fetchall() for name in {wanted}}}"
    shown = 'import json\nprint("RESULTS", json.dumps(rows, default=str))'
    (folder / "run.py").write_text(f"{code}\n{asked}\n{shown}\n")
    run = subprocess.run([sys.executable, "-I", "run.py"], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.rpartition("RESULTS ")[2])


def same(found: dict[str, Any]) -> None:
    for cell in CELLS:
        expected = [
            [str(float(value)) if isinstance(value, int | float) else value for value in row] for row in computed(cell)
        ]
        given = [[_number(value) for value in row] for row in found[cell.name]]
        assert given == expected, cell.name


def _number(value: Any) -> Any:
    try:
        return str(float(value))
    except ValueError:
        return value


def test_the_script_gives_what_leaf_has_computed(folder: Path) -> None:
    code = (folder / "cells.py").read_text()
    ast.parse(code)
    assert "\u202e" not in code
    assert not any(line.startswith("import antigravity") for line in code.splitlines())
    same(results(folder, code))


def test_the_notebook_gives_the_same(folder: Path) -> None:
    whole = json.loads((folder / "cells.ipynb").read_text())
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert len({one["id"] for one in whole["cells"]}) == len(whole["cells"])
    same(results(folder, "\n".join(one["source"] for one in whole["cells"] if one["cell_type"] == "code")))


def test_tables_keep_their_values_and_empty_cells(folder: Path) -> None:
    assert {path.name for path in (folder / "data").iterdir()} == {"costs.csv", "costs_2_2.csv"}
    assert results(folder, (folder / "cells.py").read_text(), "costs")["costs"] == [
        ["Bonn", "10.50", "2026-01-03", 'a "quoted" note'], ["Berlin", "1020.00", "2026-02-14", None],
        ["Ulm", None, "2026-02-15", "back\\slash"], ["Rome", "5.00", "2026-02-16", "=cmd|' /C calc'!A0"],
    ]  # fmt: skip


def test_a_cell_that_cannot_be_computed_any_more_is_named() -> None:
    made = exported(costs="City;Price\nBonn;5\n")
    assert [one["name"] for one in made["cells"]] == []
    assert set(made["left_out"]) == {"total", "notes", "rest", "costs_2"}
    script = notebook.script(made, ["Costs"], texts.of("en"))
    assert "# “total” is left out: Column" in script
    ast.parse(script)


def test_too_large_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_EXPORTED", 100)
    with pytest.raises(Refused, match="not exported"):
        engine.exported(sources(), CELLS)


def test_the_words_of_a_notebook_are_text() -> None:
    """A picture in the name of a chat or in a value of a file would be loaded as soon as it is opened. # 000-35"""
    made = exported()
    evil = '![a](https://evil.example/?q=1) <img src="https://evil.example"> [b](javascript:x) $\\href{x}{y}$'
    made["cells"][0] |= {"formula": evil, "result": evil}
    made["left_out"] = {"x": evil}
    written = json.loads(notebook.notebook(made, [evil], texts.of("en")))
    shown = [one["source"] for one in written["cells"] if one["cell_type"] == "markdown"]
    assert sum(one.count("evil.example") for one in shown) == 8
    drawn = "".join(MarkdownIt("commonmark").render(one) for one in shown)
    assert set(re.findall(r"<(\w+)", drawn)) == {"p", "h2"}
    assert "$" not in re.sub(r"\\\$", "", "".join(shown))
