"""Finds rows of a table that state a part of other rows: a tax, a share, or an amount “of which”."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal

from leaf.documents.tables import unlabelled, values
from leaf.documents.tables.model import MIXED, Column, Table, Value

_SHARE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?%")
_TAX = re.compile(
    r"\b(?:vat|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva|gst|hst|btw|moms|dph|消費税|sales tax)\b"
    r"|\b(?:tax|steuer)\b.*%",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:davon|darunter|hiervon|of which|thereof|di cui|dei quali|delle quali|de l[oa]s cuales"
    r"|d[oae]s quais|waarvan|varav|därav|heraf|deraf|hvoraf|herav|derav|hvorav|w tym|z tego|z toho|ebből"
    r"|dont(?! (?:know|care|like|want|use|have|need|mind|agree|trust|remember)))\b",
    re.IGNORECASE,
)
"""The beginning of a label that states a part of the row above it."""


def of_rows(table: Table) -> dict[int, str]:
    """The rows whose labels state a part of the row above and whose numbers do not exceed it, each with a text key."""
    found: dict[int, str] = {}
    whole = 0
    for at, label in enumerate(labels_of(table)):
        if (
            at
            and _PART.match(label)
            and all(
                abs(part) <= abs(one)
                for column in table.columns
                if isinstance(part := column.values[at], Decimal) and isinstance(one := column.values[whole], Decimal)
            )
        ):
            found[at] = "computed.part_of"
        else:
            whole = at
    return found


def taxes(table: Table, numbers: Sequence[Column], totals: Collection[int]) -> dict[int, str]:
    """The rows that are a tax on a sum above them, each with a text key.

    They lie between two sums, and their label names a tax. A row directly below a tax counts too if it has the
    percentage of the sum that its label states, such as a withheld tax.
    """
    found: dict[int, str] = {}
    known = {*totals}
    above = last = max(totals, default=0)
    for at in range(min(totals, default=0), last):
        if at in known:
            above = at
        elif _TAX.search(label := label_of(table, at)[:80]) or (
            at - 1 in found and (share := _SHARE.search(label)) and _is_share(numbers, at, above, share[1])
        ):
            found[at] = "computed.tax"
    return found


def _is_share(numbers: Sequence[Column], at: int, above: int, percent: str) -> bool:
    """Whether a row has a percentage of a row above it, with either sign, in every column with numbers in both rows."""
    share = Decimal(percent.replace(",", ".")) / 100
    return all(
        unlabelled.restates(abs(one), abs(whole) * share, 1)
        for column in numbers
        if isinstance(one := column.values[at], Decimal) and isinstance(whole := column.values[above], Decimal)
    )


def ratios(table: Table, known: Collection[int]) -> dict[int, str]:
    """The rows that have only percentages, in columns where other rows have another unit, each with a text key."""
    mixed = [one for one in table.columns if one.unit == MIXED and one.unit_column]
    units = [
        (one, [str(unit or "") for unit in own.values])
        for one in mixed
        if (own := table.column(one.unit_column)) is not None
    ]
    if len({unit for one, own in units for unit, value in zip(own, one.values, strict=True) if value is not None}) > 2:
        # With more than two units, rows of percentages are ordinary rows.
        return {}
    found: dict[int, str] = {}
    for at in range(len(table.rows)) if units else ():
        numbers = [one for one in table.columns if one.type == "number" and one.values[at] is not None]
        shares = [one for one, own in units if one.values[at] is not None and own[at] == "%"]
        if at not in known and shares and len(shares) == len(numbers):
            found[at] = "computed.shares"
    # Rows of percentages must be a minority.
    return found if 2 * len(found) < len(table.rows) - len(known) else {}


def labels_of(table: Table) -> list[str]:
    """The first words of each row; empty for a row without words."""
    own = _words(table)
    found = [str(next(filter(None, cells), "")) for cells in zip(*own, strict=True)] or [""] * len(table.rows)
    return [label or _unread(table, row) for label, row in zip(found, table.rows, strict=True)]


def label_of(table: Table, at: int) -> str:
    """The first words of a row; empty for a row without words."""
    return str(next(filter(None, (values[at] for values in _words(table))), "")) or _unread(table, table.rows[at])


def _unread(table: Table, row: int) -> str:
    """The first words of a row, by its number, in columns without words, such as a label in a column of prices."""
    unread = (one.unread.get(row, "") for one in table.columns)
    return next((one for one in unread if one and not values.is_error(one)), "")


def _words(table: Table) -> list[Sequence[Value]]:
    """The cells of each column of words."""
    return [one.values for one in table.columns if one.type == "text" and not one.derived]
