"""The comparison of files and versions by a program: statements, amounts in other units, rows of tables, languages."""

import time
from dataclasses import replace
from typing import Any

import pytest

from leaf.citations import Passage, Text, comparisons, redaction
from leaf.citations.chat_receipt import ChatReceipt
from leaf.comparison import Edition, compare
from leaf.documents import Segment
from leaf.documents.text import segments_by_lines

MINUTES = """# Minutes of the works council, 12 March 2026

Present: Ines, Tomasz, Ruth.

## Heating

The boiler in house 4 will be replaced by 30 June 2026. The offer of Kessler amounts to €48,300.

## Bicycles

Forty new stands are put up behind the canteen. Ruth asks the owner of the yard for consent.

## Canteen

Lunch costs €5.80 from April on.
"""
LETTER = """Dear Ms Okafor,

thank you for your letter of 4 May 2026. We confirm the delivery of 240 chairs on 19 June 2026.

The invoice over £18,720 is due 30 days after delivery. Please sign the enclosed form.

Yours sincerely
"""
CONTRACT = """# Service agreement

1. Subject
1.1 The contractor cleans the windows of all houses twice a year.
1.2 Work is done between 7 a.m. and 4 p.m.

2. Remuneration
2.1 The remuneration is 14,500 EUR per year.
2.2 Invoices are due within 14 days.

3. Liability
3.1 The contractor is liable for damage up to 250,000 EUR.

4. Term
4.1 The agreement runs for 24 months.
"""


def edition(text: str, name: str = "a", kind: str = "document", part: str = "all", **about: Any) -> Edition:
    return Edition(name, name, f"https://drive.example/{name}", kind, "r1", "2026-05-03T14:02:00Z",
                   [Segment(part, None, text)], **about)  # fmt: skip


def of(*texts: str, on: str = "") -> dict[str, Any]:
    return compare([edition(text, f"file {number}") for number, text in enumerate(texts)], on)


def values(output: dict[str, Any]) -> list[list[str]]:
    return [[cell["value"] if cell else "–" for cell in row["cells"]] for row in output["rows"]]


def quotes(row: dict[str, Any]) -> list[str]:
    return [cell["quote"] if cell else "–" for cell in row["cells"]]


def test_minutes_differ_in_an_amount_a_date_and_a_wording() -> None:
    """Each difference has both passages, and the differing words are marked."""
    other = MINUTES.replace("€48,300", "€51,900").replace("30 June", "15 July").replace("Ruth asks", "Ines asks")
    output = of(MINUTES, other)
    assert values(output) == [["30 June 2026", "15 July 2026"], ["€48,300", "€51,900"], ["", ""]]
    assert [row["kind"] for row in output["rows"]] == ["value", "value", "wording"]
    assert [row["about"].split(" · ")[0] for row in output["rows"]] == ["Heating", "Heating", "Bicycles"]
    marked = [[cell["quote"][begin:end] for begin, end in cell["marks"]] for cell in output["rows"][2]["cells"]]
    assert marked == [["Ruth"], ["Ines"]]


def test_a_letter_in_another_order_is_the_same() -> None:
    """A section in another place is no difference."""
    first, second = LETTER.split("\n\n", 2)[1:]
    output = of(LETTER, f"Dear Ms Okafor,\n\n{second}\n\n{first}\n")
    assert (output["rows"], output["differences"]) == ([], 0)
    assert output["same"] > 4


def test_a_contract_with_a_new_clause_and_other_numbers() -> None:
    """The numbers of clauses are ignored, the new clause is in one file only, and two years equal 24 months."""
    other = CONTRACT.replace("3. Liability\n3.1", "3. Data\n3.1 No personal data are processed.\n\n4. Liability\n4.1")
    other = other.replace(
        "4. Term\n4.1 The agreement runs for 24 months", "5. Term\n5.1 The agreement runs for 2 years"
    )
    output = of(CONTRACT, other.replace("250,000 EUR", "500,000 EUR"))
    assert [(row["kind"], row["about"]) for row in output["rows"]] == [("value", "3. Liability"), ("only", "3. Data")]
    assert values(output)[0] == ["250,000 EUR", "500,000 EUR"]
    assert quotes(output["rows"][1]) == ["–", "No personal data are processed."]


def test_a_price_list_is_compared_by_its_key() -> None:
    """Rows are added, removed or changed; their order and the notation of a number do not matter."""
    old = "No.,Item,Price EUR\nT1,Tent for six,120.00\nT2,Pole of steel,9.50\nT3,Peg of wood,0.80\n"
    new = "No.,Item,Price EUR\nT3,Peg of wood,0.8\nT4,Rope of hemp,4.20\nT1,Tent for six,135.00\n"
    sheets = [edition(text, name, "spreadsheet", "sheet Prices") for name, text in (("old", old), ("new", new))]
    output = compare(sheets)
    assert [(row["kind"], row["about"]) for row in output["rows"]] == [("value", "T1"), ("only", "T2"), ("only", "T4")]
    assert values(output)[0] == ["Price EUR: 120 EUR", "Price EUR: 135 EUR"]
    assert [cell["part"] for cell in output["rows"][0]["cells"]] == ["sheet Prices, row 2", "sheet Prices, row 4"]
    assert output["same"] == 1
    texts = [Text([Passage("sheet Prices", text)]) for text in (old, new)]
    assert all(
        text.find(cell["quote"])
        for row in output["rows"]
        for cell, text in zip(row["cells"], texts, strict=True)
        if cell
    )


def test_tables_in_documents_are_compared_row_by_row() -> None:
    text = "# Rates\n\n| Route | Price |\n|---|---|\n| North | 21.50 |\n| South | 27.90 |\n\nRates hold for a year.\n"
    (row,) = of(text, text.replace("27.90", "29.10"))["rows"]
    assert (row["about"], [cell["value"] for cell in row["cells"]]) == ("South", ["Price: 27.9", "Price: 29.1"])
    assert quotes(row) == ["South | 27.90", "South | 29.10"]


def test_files_of_two_languages_are_not_lined_up() -> None:
    german = (
        "Der Mietvertrag beginnt am 1. Mai 2026 und die Miete ist nicht mit der Kaution zu verrechnen. "
        "Die Wohnung wird von dem Vermieter für den Mieter in einem guten Zustand übergeben. "
    )
    english = (
        "The lease begins on 1 May 2026 and the rent is not to be set off against the deposit. "
        "The flat is handed over by the landlord to the tenant in good condition, and this shall be noted. "
    )
    output = of(english, german)
    assert output["rows"] == []
    assert output["notes"][0]["message"]["key"] == "comparisons.other_language"


def test_files_about_other_things_say_so() -> None:
    output = of(MINUTES, LETTER)
    assert "hardly a statement in common" in output["notes"][0]["text"]


def test_a_list_on_a_page_equals_one_of_paragraphs() -> None:
    """A page has no empty lines between what a colon announces."""
    rules = ["The house has these rules:", "No smoking in the rooms.", "Guests may stay for 3 nights."]
    page = edition("\n".join(rules), "page", "pdf", "page 1")
    assert compare([edition("\n\n".join(rules)), page])["differences"] == 0


def test_more_than_two_files_are_a_table_of_attributes() -> None:
    """One row for each attribute, a column for each file."""
    fees = [CONTRACT.replace("14,500", fee) for fee in ("14,500", "15,900", "13,200")]
    output = of(*fees[:2], fees[2].replace("within 14 days", "within 30 days"), on="invoices")
    assert [row["about"] for row in output["rows"]] == [
        "2. Remuneration · Invoices are due within", "2. Remuneration · The remuneration is",
    ]  # fmt: skip
    assert values(output) == [["14 days", "14 days", "30 days"], ["14,500 EUR", "15,900 EUR", "13,200 EUR"]]


def test_differences_under_one_heading_are_named_by_their_words_too() -> None:
    """Three rows with the title of the paper would not tell what differs."""
    policy = (
        "# Insurance policy\n\nDeductible: {} EUR\n\nThe annual premium is {} EUR.\n\n{} days is the notice period.\n"
    )
    output = of(policy.format(500, 1200, "Thirty"), policy.format(750, 1340, "Sixty"))
    assert [row["about"] for row in output["rows"]] == [
        "Insurance policy · Deductible",
        "Insurance policy · The annual premium is",
        "Insurance policy · Thirty days is the notice period",
    ]
    (only,) = of(policy.format(500, 1200, "Thirty"), policy.format(500, 1340, "Thirty"))["rows"]
    assert only["about"] == "Insurance policy"


def test_a_subject_that_no_file_names_has_a_note() -> None:
    output = of(MINUTES, MINUTES.replace("€5.80", "€6.20"), on="parking")
    assert output["notes"][0]["message"]["key"] == "comparisons.not_about"
    assert values(output) == [["€5.80", "€6.20"]]


def test_equal_files_have_no_difference() -> None:
    output = of(CONTRACT, CONTRACT)
    assert (output["rows"], output["differences"], output["notes"]) == ([], 0, [])


def test_a_long_file_is_cut_and_has_a_note() -> None:
    long = "".join(f"Statement number {number} says that pump {number} works.\n\n" for number in range(6_000))
    output = of(long, long)
    assert any(note["message"]["key"] == "comparisons.cut" for note in output["notes"])
    assert output["compared"][0]["characters"] < output["compared"][0]["total_characters"] == len(long)


HOSTILE = {
    "one line": "a" * 1_000_000, "one line of words": "ab cd " * 160_000, "equal lines": "the same line.\n" * 100_000,
    "punctuation": "?!.,;" * 200_000, "rows": "|a|b|\n" * 100_000, "amounts": "1 EUR " * 160_000,
    "numbers": " ".join(map(str, range(150_000))), "headings": "# a\n" * 200_000, "clauses": "1.1 a\n" * 100_000,
    "dates": "1 May 2026 " * 90_000, "marks": "**" * 500_000, "lines": "".join(f"word{n} x\n" for n in range(90_000)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_compared_in_bounded_time(name: str) -> None:
    """One line of a megabyte, a hundred thousand equal lines, only punctuation. # 000-50"""
    text = HOSTILE[name]
    for other in (text[: len(text) // 2] + "x" + text[len(text) // 2 :], text[::-1]):
        begun = time.thread_time()
        output = of(text, other)
        assert time.thread_time() - begun < 10
        assert len(output["rows"]) <= comparisons.MOST_ROWS
        assert sum(len(cell["quote"]) for row in output["rows"] for cell in row["cells"] if cell) <= 50_000


def test_a_stored_comparison_is_shown_only_in_its_exact_form() -> None:
    """A comparison is not shown at all if one of its files is withheld."""
    output = of(MINUTES, MINUTES.replace("€5.80", "€6.20"))
    (one,) = comparisons.read([output, "x", {"compared": [{}]}, {"compared": "x"}])
    assert comparisons.files_of([one]) == {"file 0", "file 1"}
    assert (
        "".join(text for text, _ in comparisons.pieces(one["rows"][0]["cells"][0]))
        == one["rows"][0]["cells"][0]["quote"]
    )
    wrong = {**one["rows"][0], "cells": [{"quote": "abc", "marks": [[2, 1], [0, 9], "x", [1, 2]]}, None]}
    (read,) = comparisons.read([{**output, "rows": [wrong, {"cells": []}, 3]}])
    assert [row["cells"][0]["marks"] for row in read["rows"]] == [[[1, 2]]]
    part = {"type": comparisons.COMPARISONS, "id": "comparisons", "data": [output]}
    (kept,) = redaction.without([part], {"file 1": "refused"})
    assert kept["data"] == []
    withheld = redaction.output_without(output, {"file 1": "refused"})
    assert (withheld["compared"], withheld["withheld"]) == ([], "refused")
    assert "rows" not in withheld


def test_numbers_in_words_are_numbers() -> None:
    """Three and 3 are the same, and a contract that says both says one."""
    first = "The notice period is three months. Payment is due within thirty (30) days."
    same = of(first, first.replace("three", "3"))
    assert (same["rows"], same["same"]) == ([], 2)
    other = of(first, "The notice period is 6 months. Payment is due within forty-five (45) days.")
    assert values(other) == [["three months", "6 months"], ["(30) days", "(45) days"]]


def test_terms_in_other_units_are_lined_up() -> None:
    """What is left without the amounts says what a sentence is about, even if it is a small word."""
    offers = of("The warranty is 2 years.", "The warranty is 36 months.", "The warranty is two years.")
    assert values(offers) == [["2 years", "36 months", "two years"]]
    assert of("The fee is 1.5 million euros.", "The fee is €1,500,000.")["same"] == 1


def test_rows_are_told_apart_by_several_columns() -> None:
    """A changed price is no row that was taken away, and another one that was added."""
    first = "Day,Item,Price\n2026-01-01,A,1\n2026-01-01,B,2\n2026-01-02,A,3\n"
    editions = [edition(text, name, "csv") for name, text in (("a", first), ("b", first.replace("A,3", "A,4")))]
    (row,) = compare(editions)["rows"]
    assert (row["about"], values(compare(editions))) == ("2026-01-02 · A", [["Price: 3", "Price: 4"]])


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("Hotels cost €140 in Germany and €180 abroad.", "Hotels cost €180 in Germany and €140 abroad.", "value"),
        ("The supplier delivers 12 chairs in May.", "The supplier delivers 12 tables in May.", "wording"),
        ("(2) Montags ist Anwesenheit im Büro Pflicht.", "(2) Freitags ist Anwesenheit im Büro Pflicht.", "wording"),
        ("The term is 24 months and ends on 1 May 2027.", "The term is 2 years and ends on May 1, 2027.", ""),
        ("(2) Pets are allowed.", "(3) Pets are allowed.", ""),
    ],
)
def test_amounts_in_another_order_and_other_things_that_are_counted_differ(before: str, after: str, kind: str) -> None:
    output = of(f"# Terms\n\n{before}\n\nThe rest stays.\n", f"# Terms\n\n{after}\n\nThe rest stays.\n")
    assert [row["kind"] for row in output["rows"]] == ([kind] if kind else [])
    assert not kind or quotes(output["rows"][0])[1].removeprefix("(2) ") == after.removeprefix("(2) ")


def test_long_tables_without_a_heading_are_compared_row_by_row() -> None:
    """The text of such a file is cut between lines."""
    rows = [f"| thing number {at} | {at} EUR |\n" for at in range(600)]
    head = "| Item | Price |\n|---|---|\n"
    changed = [*rows[:500], "| thing number 500 | 777 EUR |\n", *rows[501:]]
    output = compare([
        replace(edition("", name), segments=segments_by_lines(head + "".join(own)))
        for name, own in (("a", rows), ("b", changed))
    ])  # fmt: skip
    assert values(output) == [["Price: 500 EUR", "Price: 777 EUR"]]
    assert output["rows"][0]["table"]


def test_a_stored_comparison_of_too_many_files_has_as_many_cells_as_columns() -> None:
    """Pages and exports pair the cells of a row with the columns. A comparison shows at most ten files."""
    files = [{"file_id": f"file {at}", "name": f"File {at}"} for at in range(12)]
    row = {"kind": "changed", "about": "rent", "cells": [{"quote": f"{at} euros"} for at in range(12)]}
    (one,) = comparisons.read([{"compared": files, "rows": [row]}])
    assert len(one["compared"]) == comparisons.MOST_FILES
    assert [cell["quote"] for cell in one["rows"][0]["cells"]] == [f"{at} euros" for at in range(10)]


def test_the_receipt_of_a_compared_file_is_about_its_last_version() -> None:
    """A complete read of an earlier version says nothing about a version that was compared in part."""
    receipt = ChatReceipt()
    receipt.read({}, {"path": "plan.md", "version": 1, "text": "all of it", "whole": True})
    receipt.compared({"path": "plan.md", "revision": "2", "characters": 10, "total_characters": 20})
    assert receipt.files() == [{"path": "plan.md", "complete": False, "gaps": []}]
    receipt.read({}, {"path": "plan.md", "version": 2, "text": "all of it", "whole": True})
    receipt.compared({"path": "plan.md", "revision": "2", "characters": 10, "total_characters": 20})
    assert receipt.files() == [{"path": "plan.md", "complete": True, "gaps": []}]
