"""Writes computations as a Python script or a Jupyter notebook. They need DuckDB and the tables as CSV files. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from leaf.texts import Texts

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&$!])")
FOLDER: Final = "data"
"""The folder with the tables, next to the script and the notebook."""


def script(exported: Mapping[str, Any], about: Sequence[str], say: Texts) -> str:
    """The computations as a Python script.

    Args:
        exported: The result of `engine.exported`.
        about: Lines about the chat, for the top of the script.
        say: The texts in the language of the comments.
    """
    lines = [_comment(one) for one in (*about, say("computed.run_script"))]
    lines += [
        "from pathlib import Path",
        "",
        "import duckdb",
        "",
        f'DATA = Path(__file__).parent / "{FOLDER}"',
        _OPEN,
        "",
    ]
    lines += [one for table in exported["tables"] for one in (_comment(_place(table)), *_load(table), "")]
    for cell in exported["cells"]:
        lines += [*map(_comment, _words(cell)), _view(cell), _SHOW.format(name=_text(cell["name"])), ""]
    return "\n".join([*lines, *map(_comment, _left_out(exported, say))]).rstrip() + "\n"


def notebook(exported: Mapping[str, Any], about: Sequence[str], say: Texts) -> str:
    """The computations as a Jupyter notebook (format 4.5). The arguments are those of `script`."""
    cells = [_markdown([*about, "", say("computed.run_notebook"), *_left_out(exported, say)])]
    setup = ["from pathlib import Path", "", "import duckdb", "", f'DATA = Path("{FOLDER}")', _OPEN]
    setup += [one for table in exported["tables"] for one in ("", _comment(_place(table)), *_load(table))]
    cells.append(_code("\n".join([*setup, "", 'con.sql("SHOW TABLES")'])))
    for cell in exported["cells"]:
        cells.append(_markdown(_words(cell), heading="## "))
        cells.append(_code(f"{_view(cell)}\ncon.table({_text(cell['name'])})"))
    numbered = [{**one, "id": f"cell-{number}"} for number, one in enumerate(cells, 1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": numbered, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


_OPEN: Final = 'con = duckdb.connect(":memory:")'
_SHOW: Final = "print({name})\ncon.table({name}).show()"


def _load(table: Mapping[str, Any]) -> Iterator[str]:
    """Lines of Python that load a table, with a type for each column."""
    columns = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in table["types"].items())
    form = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"'"
    read = f"read_csv(?, {form}, columns = {{{columns}}})"
    sql = f"CREATE TABLE {_quoted(table['name'])} AS FROM {read}"
    yield "con.execute("
    yield f"    {_text(sql)},"
    yield f"    [str(DATA / {_text(file_of(table))})],"
    yield ")"


def _view(cell: Mapping[str, Any]) -> str:
    sql = f"CREATE VIEW {_quoted(cell['name'])} AS\n{cell['sql']}"
    # Invisible characters are escaped, such as those that change the direction of text.
    sql = sql.replace("\\", "\\\\").replace('"""', '""\\"')
    escaped = "".join(one if one.isprintable() or one == "\n" else f"\\U{ord(one):08x}" for one in sql)
    return f'con.execute("""\n{escaped}\n""")'


def file_of(table: Mapping[str, Any]) -> str:
    """The name of the CSV file of a table."""
    return f"{table['name']}.csv"


def data_of(table: Mapping[str, Any]) -> bytes:
    """The file of a table, with the mark by which Excel knows UTF-8; DuckDB leaves it out."""
    return table["csv"].encode("utf-8-sig")


def _words(cell: Mapping[str, Any]) -> list[str]:
    return [_line(str(one)) for one in (cell["name"], cell.get("formula"), cell.get("result")) if one]


def _place(table: Mapping[str, Any]) -> str:
    return f"{table['file']}, {table['place']}"


def _left_out(exported: Mapping[str, Any], say: Texts) -> list[str]:
    return [say("computed.left_out", cell=name, reason=_line(why)) for name, why in exported["left_out"].items()]


def _comment(text: str) -> str:
    return f"# {_line(text)}".rstrip()


def _line(text: str) -> str:
    """A text on one line, without characters that break it or change its direction."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _text(text: str) -> str:
    """A text as a Python string literal."""
    return json.dumps(text, ensure_ascii=False)


def _literal(text: str) -> str:
    """A text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _markdown(lines: Sequence[str], heading: str = "") -> dict[str, Any]:
    """Lines as text: the name of a chat or a value of a file may hold a picture or HTML, which a notebook would load.

    Args:
        lines: The lines.
        heading: The mark of a heading, if the first line is one.
    """
    escaped = (_SPECIAL.sub(r"\\\1", _line(one)) for one in lines)
    return {"cell_type": "markdown", "metadata": {}, "source": heading + "\n".join(escaped)}


def _code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
