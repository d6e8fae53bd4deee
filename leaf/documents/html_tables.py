"""Tables of HTML made such that Markdown can have them: it has no merged cells, and no tables within tables."""

from typing import Any

MOST_FILLED = 4_000
"""Cells that are filled in, at most: a page may claim any number of merged ones."""
_WIDEST = 200


def flatten(soup: Any) -> None:
    """Changes the tables of a tree (BeautifulSoup's) in time linear in their cells.

    A table that only places others on a page is none any more; another one within a cell becomes a line of text. Then
    each row gets a cell of its own for every column: a merged cell keeps its text in its first place.
    """
    _unnest(soup)
    left = MOST_FILLED
    for table in soup.find_all("table"):
        if table.find(["td", "th"], attrs={"rowspan": True}) or table.find(["td", "th"], attrs={"colspan": True}):
            left = _separate(soup, table, left)


def _unnest(soup: Any) -> None:
    tables = soup.find_all("table")
    with_header = {id(cell.find_parent("table")) for cell in soup.find_all("th")}
    placing: set[int] = set()
    for table in reversed(tables):
        outer = table.find_parent("table")
        if outer is None:
            continue
        if id(outer) not in with_header and (id(table) in placing or _has_rows_and_columns(table)):
            placing.add(id(outer))
        else:
            rows = (row.find_all(["td", "th"]) for row in table.find_all("tr"))
            lines = (", ".join(cell.get_text(" ", strip=True) for cell in row) for row in rows)
            table.replace_with(soup.new_string("; ".join(lines)))
    if placing:
        parts = soup.find_all(["table", "thead", "tbody", "tfoot", "tr", "td", "th"])
        placed = [one for one in parts if id(one if one.name == "table" else one.find_parent("table")) in placing]
        for one in placed:
            one.name = "div"


def _has_rows_and_columns(table: Any) -> bool:
    rows = table.find_all("tr", limit=2)
    return len(rows) == 2 and all(len(row.find_all(["td", "th"], limit=2)) == 2 for row in rows)


def _separate(soup: Any, table: Any, left: int) -> int:
    covered: dict[int, int] = {}
    """Columns that cells of rows above reach into, each with the number of rows that are left."""
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
