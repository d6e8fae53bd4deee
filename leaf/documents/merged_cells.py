"""Merged cells in tables of HTML: Markdown has none, so their places are filled with empty cells."""

from typing import Any

MOST_FILLED = 4_000
"""Cells that are filled in, at most: a page may claim any number of merged ones."""
_WIDEST = 200


def separate(soup: Any) -> None:
    """Gives each row of each table (BeautifulSoup's tree) a cell of its own for every column: a merged cell keeps its
    text in its first place. Takes time linear in the cells.
    """
    left = MOST_FILLED
    for table in soup.find_all("table"):
        if table.find(["td", "th"], attrs={"rowspan": True}) or table.find(["td", "th"], attrs={"colspan": True}):
            left = _separate(soup, table, left)


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
