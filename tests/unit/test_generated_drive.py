"""The generated Drive is the same for the same seed, can be read, and its questions fit its files."""

import hashlib
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from leaf import documents
from leaf.documents import Unreadable
from sandbox.corpus import Changes
from sandbox.folder import DescribedFolder
from sandbox.generate import drive, folder, language, papers, questions
from sandbox.generate.drive import Drive, File
from tests.eval import judging
from tests.eval.cases import Case
from tests.eval.generated import CATEGORIES, id_of, load

FORMATS = {
    "docx", "xlsx", "pptx", "pdf", "scan.pdf", "png", "jpg", "csv", "txt", "md", "html", "eml", "ods", "odt",
}  # fmt: skip
LEAST = 30
"""Questions of each category about the Drive of 600 files."""


@cache
def planned(seed: int = 7) -> Drive:
    return drive.plan(600, seed)


@cache
def asked(seed: int = 7) -> tuple[Case, ...]:
    return tuple(Case.model_validate(one) for one in questions.of(planned(seed)))


def contents(root: Path) -> dict[str, str]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_seed_makes_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    """# 000-57"""
    for name, seed in (("first", 5), ("second", 5), ("other", 6)):
        folder.write(tmp_path / name, 60, seed)
    first = contents(tmp_path / "first")
    assert len(first) == 60 + 2
    assert contents(tmp_path / "second") == first
    assert contents(tmp_path / "other") != first


@pytest.mark.parametrize("suffix", sorted(FORMATS))
def test_each_format_is_made_the_same_way_twice(suffix: str) -> None:
    one = next(file for file in planned().files if file.suffix == suffix and file.paper)
    assert one.content() == one.content()


def test_a_drive_has_all_formats_languages_and_roles() -> None:
    files = planned().files
    assert {file.suffix for file in files if file.paper} == FORMATS
    assert {file.paper.company.language for file in files if file.paper} == set(language.CODES)
    roles = Counter(file.role for file in files)
    assert min(roles[name] for name in ("older", "copy", "conflict", "misfiled")) >= LEAST
    assert min(roles["chatter"], roles["hostile"]) >= 12
    assert len(files) == len({file.path.casefold() for file in files}) == 600
    assert {file.readers for file in files} == {("ada", "ben"), ("ada",), ("ben",)}


@pytest.mark.parametrize("suffix", sorted(FORMATS))
def test_a_file_of_each_format_is_read_and_holds_its_facts(suffix: str) -> None:
    one = next(file for file in planned().files if file.suffix == suffix and file.paper)
    text = read(one)
    assert one.paper is not None
    if one.paper.genre == "table":
        for article, _, price, stock in one.paper.articles:
            assert article in text
            assert {float(price), float(stock)} <= set(judging.numbers(text.replace(",", "; ")))
    else:
        facts = [value.text for value in one.paper.values.values()]
        assert [fact for fact in facts if not judging.says(text, fact)] == []


def read(file: File) -> str:
    name = Path(file.path).name
    parsed = documents.parse(file.content(), documents.kind_of("application/octet-stream", name))
    return "\n".join(segment.text for segment in parsed.segments)


@pytest.mark.parametrize("name", ["Broken.pdf", "Cut off.docx", "Cut off.png", "Bytes.bin"])
def test_a_broken_file_is_unreadable(name: str) -> None:
    (one,) = [file for file in planned().files if file.path == f"To sort/{name}"]
    kind = documents.kind_of("application/octet-stream", name)
    assert documents.refusal(kind, "application/octet-stream", name) or raises(one, kind)


def raises(one: File, kind: documents.Kind) -> bool:
    with pytest.raises(Unreadable):
        documents.parse(one.content(), kind)
    return True


def test_a_drive_of_600_files_has_thirty_questions_of_each_category() -> None:
    counted = Counter(case.category for case in asked())
    assert set(counted) == set(CATEGORIES)
    assert min(counted.values()) >= LEAST, counted
    assert len({case.id for case in asked()}) == len(asked())


def test_the_files_of_each_question_exist_and_its_asker_sees_them() -> None:
    readers = {file.path: file.readers for file in planned().files}
    for case in asked():
        assert {*case.sources, *case.also} <= readers.keys(), case.id
        assert all(case.account in readers[path] for path in case.sources), case.id
        assert bool(case.sources) != case.refusal, case.id
        assert case.refusal or case.numbers or case.contains, case.id


def test_the_files_of_each_question_hold_its_answer() -> None:
    texts = {file.path: text_of(file) for file in planned().files if file.paper}
    for case in asked():
        text = "\n".join(texts[path] for path in case.sources)
        # A whole file also says other things, and computed figures stand in none.
        demands: dict[str, Any] = {"refusal": False, "long": True, "wrong": [], "others": [], "unit": "", "beside": []}
        demands |= {"numbers": []} if case.computed else {}
        assert judging.misses(case.model_copy(update=demands), text) == [], case.id


def test_a_third_of_the_questions_of_each_category_are_in_other_languages_than_english() -> None:
    counted = Counter(case.category for case in asked() if not case.language.startswith("en"))
    assert all(counted[name] * 3 >= LEAST for name in CATEGORIES), counted


def test_a_right_answer_to_each_question_is_judged_right_and_that_of_another_paper_wrong() -> None:
    """The demands fit one another: a sentence with the values alone meets them, one with other values does not."""
    for case in asked():
        values = [*(f"{one.value:.2f}" for one in case.numbers), *(choices[0] for choices in case.contains)]
        unit = {"EUR|€|euros?": "EUR"}.get(case.unit, "")
        told = "Nothing was found." if case.refusal else f"It is {', '.join(f'{unit} {one}' for one in values)}."
        assert judging.misses(case, told) == [], (case.id, told)
        others = [*case.wrong, *(f"{one:.2f}" for one in case.others)]
        if others:
            assert judging.misses(case, f"{told} Or {others[0]}.") != [], case.id
        if case.unit == "EUR|€|euros?":
            assert judging.misses(case, f"EUR 1.23, or: {told}") != [], case.id


def text_of(file: File) -> str:
    assert file.paper is not None
    text = papers.markdown(file.paper, planned().companies, short=file.suffix in drive.SCANS)
    return text.replace("|", " ; ") if file.paper.genre == "table" else text


def test_a_question_that_is_not_answered_has_no_file_that_its_asker_sees() -> None:
    seen = defaultdict[str, str](str)
    for file in planned().files:
        if file.paper and "ada" in file.readers:
            seen[file.paper.company.name] += file.paper.genre + " "
    absent = [case for case in asked() if case.category == "absence"]
    for case in absent:
        company = next(one for one in planned().companies if one.name in case.asks[0])
        genre = next(
            name for name in papers.facts()["genres"] if phrase(company.language, name, case.asks[0], company.name)
        )
        assert genre not in seen[company.name].split(), case.id


def phrase(code: str, genre: str, ask: str, company: str) -> bool:
    words = language.of(code).genres[genre]
    return any(words[name]["asks"].format(company=company) == ask for name in papers.facts()["genres"][genre][1])


def test_all_files_after_the_day_of_a_constraint_are_expected_and_none_before_it() -> None:
    files = {file.path: file for file in planned().files}
    for case in (case for case in asked() if case.category == "constraint"):
        first = files[case.sources[0]].paper
        assert first is not None
        assert case.since is not None
        same = {
            path: file.modified.date().isoformat()
            for path, file in files.items()
            if file.paper is not None and "ada" in file.readers
            and (file.paper.genre, file.paper.department, file.paper.company.language)
            == (first.genre, first.department, first.company.language)
        }  # fmt: skip
        assert {path for path, day in same.items() if day >= case.since} == set(case.sources)
        assert any(day < case.since for day in same.values())


def test_a_drive_is_served_with_owners_dates_and_readers_and_reads_no_file_before_it_is_asked_for(
    tmp_path: Path,
) -> None:
    made = folder.write(tmp_path / "drive", 60, 5)
    gone = made.files[0]
    served = DescribedFolder(tmp_path / "drive")
    (tmp_path / "drive" / gone.path).unlink()
    items = served.items()
    assert {item.name for item in items.values() if item.name.startswith((".", "drive.json"))} == set()
    for file in made.files:
        item = items[id_of(file.path)]
        assert (item.owner, item.modified, item.readers) == (file.owner, file.modified, frozenset(file.readers))
    long_name = next(item for item in items.values() if item.name.startswith("A very long name"))
    assert len(long_name.name) > 4_000 - 100
    with pytest.raises(FileNotFoundError):
        served.blob(items[id_of(gone.path)])


def test_metadata_of_a_served_file_change_for_tests_and_are_restored(tmp_path: Path) -> None:
    made = folder.write(tmp_path / "drive", 30, 5)
    served = DescribedFolder(tmp_path / "drive")
    file_id = id_of(made.files[0].path)
    before = served.items()[file_id]
    served.edit(before, Changes(name="Other.md", readers=frozenset({"ben"})))
    after = served.items()[file_id]
    assert (after.name, after.readers, after.version) == ("Other.md", {"ben"}, before.version + 1)
    served.edit(after, Changes(removed=True))
    assert file_id not in served.items()
    served.restore()
    assert served.items()[file_id] == before


def test_a_moved_file_has_the_readers_of_its_new_folder_unless_it_has_its_own(tmp_path: Path) -> None:
    made = folder.write(tmp_path / "drive", 30, 5)
    (tmp_path / "drive" / "private plans").mkdir()
    served = DescribedFolder(tmp_path / "drive")
    private = next(item for item in served.items().values() if item.name == "private plans")
    file = next(served.items()[id_of(one.path)] for one in made.files if "ben" in one.readers)
    served.edit(file, Changes(parent=private.id))
    assert served.items()[file.id].readers == private.readers == {"ada"}
    served.edit(file, Changes(parent=private.id, readers=frozenset({"ben"})))
    assert served.items()[file.id].readers == {"ben"}


def test_the_questions_are_kept_beside_the_files(tmp_path: Path) -> None:
    made = folder.write(tmp_path / "drive", 60, 5)
    kept = json.loads((tmp_path / "drive" / ".leaf" / "questions.json").read_text())
    assert kept["facts"] == questions.facts(made)
    assert load(tmp_path / "drive") == [Case.model_validate(one) for one in questions.of(made)]
