"""Prepares HTML tables for Markdown, which has neither merged cells nor nested tables."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

MOST_FILLED = 4_000
"""The maximum number of cells that are added, because a page may declare any number of merged cells."""
_WIDEST = 200
_DEEPEST = 20
"""The maximum nesting of tables. Deeper tables become text."""
_DIGITS = re.compile(r"[^\W\d_]{0,3}[€$£\s]{0,2}\d[\d.,\s]{0,20}[^\W\d_]{0,3}[€$£%\s]{0,2}")
_PARTS = frozenset({"thead", "tbody", "tfoot", "tr", "td", "th"})


def flatten(soup: Any) -> None:
    """Changes the tables of a BeautifulSoup tree, in time linear in the number of cells.

    Superscript digits become superscript characters. A table that only arranges other tables on the page becomes plain
    blocks. Any other nested table becomes a line of text. Then merged cells are split, so that each row has a cell for
    every column. The text of a merged cell stays in its first cell.
    """
    _raise_digits(soup)
    for foot in soup.find_all("tfoot"):
        # A `tfoot` may precede the rows that it sums up.
        if (table := foot.find_parent("table")) is not None and foot.find_next_sibling("tbody") is not None:
            table.append(foot.extract())
    _unnest(soup)
    left = MOST_FILLED
    for table in soup.find_all("table"):
        if table.find(["td", "th"], attrs={"rowspan": True}) or table.find(["td", "th"], attrs={"colspan": True}):
            left = _separate(soup, table, left)


_RAISED = str.maketrans("0123456789abcdef", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ")
_LETTERS = frozenset("abcdef")


def _raise_digits(soup: Any) -> None:
    """Replaces superscript digits, and superscript letters after digits, by superscript characters. Otherwise Markdown
    would join the number of a footnote to a number before it.
    """
    for tag in soup.find_all("sup"):
        digits = tag.get_text().strip()
        is_letter = digits in _LETTERS and str(tag.previous_sibling or "").rstrip()[-1:].isdigit()
        if (digits.isascii() and digits.isdigit()) or is_letter:
            tag.replace_with(soup.new_string(digits.translate(_RAISED)))


def _unnest(soup: Any) -> None:
    tables = _tables(soup)
    placing: set[int] = set()
    for table in reversed(tables.values()):
        if table.outer is None or table.depth > _DEEPEST + 1:
            continue
        if table.depth > _DEEPEST:
            # The time of a change grows with the depth.
            table.tag.replace_with(soup.new_string(table.tag.get_text(" ", strip=True)))
        elif not table.outer.has_figures and (id(table.tag) in placing or table.has_rows_and_columns):
            placing.add(id(table.outer.tag))
        else:
            lines = (", ".join(cell.get_text(" ", strip=True) for cell in row) for row in table.rows)
            table.tag.replace_with(soup.new_string("; ".join(lines)))
    for chosen in placing:
        for one in tables[chosen].parts:
            one.name = "div"


@dataclass
class _Table:
    tag: Any
    outer: "_Table | None"
    depth: int
    """The number of tables that contain it."""
    parts: list[Any]
    """The table element and its rows, cells and groups, without those of nested tables."""
    rows: list[list[Any]] = field(default_factory=list[list[Any]])
    has_header: bool = False

    @cached_property
    def has_figures(self) -> bool:
        """Whether it is a data table and not only a layout. It has headers, or a row without nested tables in which a
        cell after the first is a number.
        """
        return self.has_header or any(
            len(row) > 1
            and not any(map(_holds, row))
            and any(_DIGITS.fullmatch(cell.get_text().strip()) for cell in row[1:])
            for row in self.rows
        )

    @property
    def has_rows_and_columns(self) -> bool:
        """Whether it has at least two rows and two columns."""
        return len(self.rows) > 1 and any(len(row) > 1 for row in self.rows)


def _holds(cell: Any) -> bool:
    return cell.find("table") is not None


def _tables(soup: Any) -> dict[int, _Table]:
    """The tables of a tree by the `id()` of their tags, outer tables first."""
    found: dict[int, _Table] = {}
    around: dict[int, _Table | None] = {id(soup): None}
    for one in soup.find_all(True):
        table = around[id(one.parent)]
        if one.name == "table":
            table = found[id(one)] = _Table(one, table, table.depth + 1 if table else 0, [one])
        elif table is not None and one.name in _PARTS:
            table.parts.append(one)
            table.has_header |= one.name == "th"
            if one.name == "tr":
                table.rows.append([])
            elif one.name in {"td", "th"} and table.rows:
                table.rows[-1].append(one)
        around[id(one)] = table
    return found


def _separate(soup: Any, table: Any, left: int) -> int:
    """Splits the merged cells of a table. At most `left` cells are added; returns how many more may be added."""
    covered: dict[int, int] = {}
    """The columns that merged cells of rows above cover, each with the number of remaining rows."""
    for row in table.find_all("tr"):
        if row.find_parent("table") is not table:
            continue
        column = 0
        below: dict[int, int] = {}
        for cell in row.find_all(["td", "th"], recursive=False):
            while covered.get(column, 0) and left:
                cell.insert_before(soup.new_tag("td"))
                left -= 1
                column += 1
            wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
            for at in range(column, column + wide):
                if high > 1:
                    below[at] = high
            for _ in range(min(wide - 1, left)):
                cell.insert_after(soup.new_tag("td"))
                left -= 1
            column += wide
        while covered.get(column, 0) and left:
            row.append(soup.new_tag("td"))
            left -= 1
            column += 1
        covered = {at: rows - 1 for at, rows in (covered | below).items() if rows > 1}
    return left


def _span(cell: Any, name: str) -> int:
    written = str(cell.attrs.pop(name, "1")).strip()
    return min(max(int(written), 1), _WIDEST) if written.isascii() and written.isdigit() and len(written) < 10 else 1
