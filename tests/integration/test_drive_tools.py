"""The agent's Drive tools against the sandbox."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from leaf.agent.cells import Cells
from leaf.agent.deps import Deps
from leaf.agent.tools.comparison import compare_files
from leaf.agent.tools.drive import compute, list_drive_folder, read_drive_file, search_files, toolset
from leaf.citations import Call, Library, coverage_of
from leaf.documents import LIMIT_CHARACTERS
from leaf.google.drive import Drive
from tests.integration.drive_google import IMPATIENT, Google, Grant, NoGrant, google, id_of, running_google

__all__ = ["google", "running_google"]

FILE_KEYS = {"id", "name", "kind", "modified", "url"}


def context(deps: Deps) -> RunContext[Deps]:
    return RunContext(deps=deps, model=TestModel(), usage=RunUsage())


async def read(google: Google, path: str, part: str | None = None, kind: str = "file") -> dict[str, Any]:
    return await read_drive_file(context(google.deps()), id_of(path, kind), part)


async def test_a_folder_is_listed_from_its_address(google: Google):
    """000-52."""
    address = f"https://drive.google.com/drive/u/1/folders/{id_of('ada:/Field reports 2025')}?usp=sharing"
    output = await list_drive_folder(context(google.deps()), address)
    assert output["total"] == len(output["files"]) == 250
    assert output["folder"]["name"] == "Field reports 2025"
    assert set(output) == {"folder", "files", "total", "total_folders", "total_at_least", "partial", "note"}
    assert set(output["files"][0]) >= FILE_KEYS
    json.dumps(output)


async def test_the_top_of_my_drive_names_the_shared_drives(google: Google):
    output = await list_drive_folder(context(google.deps()), "https://drive.google.com/drive/my-drive")
    assert "Board (id " in output["note"]


async def test_an_empty_folder_says_so(google: Google):
    assert "empty" in (await list_drive_folder(context(google.deps()), id_of("ada:/Empty")))["note"]


async def test_a_search_has_the_agreed_shape(google: Google):
    """000-54."""
    output = await search_files(context(google.deps()), ["Ada's budget"])
    assert set(output) >= {"queries", "files", "passages", "index", "partial", "note"}
    assert output["files"][0]["kind"] == "spreadsheet"
    assert set(output["files"][0]) >= FILE_KEYS


async def test_a_doc_is_read_whole(google: Google):
    """000-20."""
    output = await read(google, "ada:/Welcome", kind="doc")
    assert set(output) == {"file", "part", "outline", "content", "chars", "total_chars", "complete", "note"}
    assert set(output["file"]) == {"id", "name", "kind", "revision", "modified", "url"}
    assert "founded in 1987" in output["content"]
    assert "[section Members]\n## Members" in output["content"]
    assert (output["part"], output["complete"], output["chars"]) == ("all", True, len(output["content"]))


async def test_every_sheet_is_read(google: Google):
    """000-21."""
    output = await read(google, "ada:/Finance/Ada's budget", kind="sheet")
    assert "[sheet Budget]\nItem,Cost\nCrates,1200\n[sheet Forecast]\nItem,Cost\nCrates,1350.5\n" in output["content"]


async def test_a_sheet_that_exports_as_csv_only_says_so(google: Google):
    """000-21."""
    google.fault("spreadsheetml", 403, times=9, reason="exportSizeLimitExceeded")
    google.fault("/feeds/", 403, times=9, reason="exportSizeLimitExceeded")
    output = await read(google, "ada:/Finance/Ada's budget", kind="sheet")
    assert "1200" in output["content"]
    assert "1350.5" not in output["content"]
    assert "Only the first sheet" in output["note"]


async def test_a_doc_without_a_markdown_export_is_read_as_text(google: Google):
    google.fault("text/markdown", 400, times=9, reason="badRequest")
    output = await read(google, "ada:/Welcome", kind="doc")
    assert "founded in 1987" in output["content"]
    assert "plain text" in output["note"]


async def test_slides_are_read_by_slide(google: Google):
    output = await read(google, "ada:/Pitch", "slide 2", kind="slides")
    assert "Also pears." in output["content"]
    assert "We sell" not in output["content"]
    assert "smile" in (await read(google, "ada:/Pitch", kind="slides"))["content"]


@pytest.mark.parametrize(("path", "text"), [
    ("ada:/Latin.txt", "Größe der Kisten: 3 m². Ärger über Straßenbau."), ("ada:/Sixteen.txt", "naïve – sixteen bits"),
    ("ada:/🍎 Harvest plan.txt", "Pick the Gravensteins first."),
])  # fmt: skip
async def test_text_is_read_in_its_charset(google: Google, path: str, text: str):
    """000-22."""
    assert (await read(google, path))["content"] == text


async def test_page_n_of_a_pdf_is_quotable(google: Google):
    """000-23."""
    output = await read(google, "ada:/Report.pdf", "page 2")
    assert "The yield was 317 tonnes." in output["content"]
    assert output["content"].startswith("[page 2]\n")
    assert output["part"] == "page 2"
    assert not output["complete"]


async def test_a_scan_is_quotable_and_says_that_it_was_read_by_ocr(google: Google):
    """000-23, 000-66."""
    output = await read(google, "ada:/Scan.pdf")
    assert output["content"].startswith("[page 1, read by OCR]\nDelivery note 4471\n")
    assert "Pallets 17 and 18 wet, refused" in output["content"]
    assert "may have errors" in output["note"]


@pytest.mark.parametrize(("path", "kind", "reason"), [
    ("ada:/Locked.txt", "file", "downloading and copying are switched off"),
    ("ada:/Survey", "form", "Google Form"), ("ada:/Broken", "shortcut", "shortcut"),
    ("ada:/Nowhere at all", "file", "was deleted"),
])  # fmt: skip
async def test_a_file_that_cannot_be_read_is_skipped_with_the_reason(google: Google, path: str, kind: str, reason: str):
    """000-23; lessons: one bad file is a reported skip, never a failed run."""
    output = await read(google, path, kind=kind)
    assert set(output) == {"skipped"}
    assert set(output["skipped"]) == {"id", "name", "url", "reason"}
    assert reason in output["skipped"]["reason"]


async def test_a_shortcut_is_read_as_its_target(google: Google):
    output = await read(google, "ada:/To the report", kind="shortcut")
    assert output["file"]["name"] == "Report.pdf"


async def test_a_long_file_comes_in_parts_that_are_never_cut_silently(google: Google):
    """000-53."""
    first = await read(google, "ada:/Long.md")
    assert not first["complete"]
    assert first["chars"] == len(first["content"]) <= LIMIT_CHARACTERS
    assert first["total_chars"] > 70_000
    assert [entry["part"] for entry in first["outline"]][41] == "section Chapter 42"
    assert "Go on with part “section Chapter" in first["note"]
    chapter = await read(google, "ada:/Long.md", "section Chapter 42")
    assert f"The answer of chapter 42 is {42 * 7919}." in chapter["content"]
    assert chapter["outline"] is None


async def test_words_are_looked_for_inside_a_long_file_without_another_download(google: Google):
    """000-53, 000-57."""
    deps = google.deps()
    await read_drive_file(context(deps), id_of("ada:/Long.md"))
    google.forget()
    output = await read_drive_file(context(deps), id_of("ada:/Long.md"), find="answer of “chapter 42”")
    assert all("alt=media" not in one["query"] for one in google.requests())
    assert set(output) == {
        "file", "part", "outline", "content", "chars", "total_chars", "complete", "note", "find", "matches",
    }  # fmt: skip
    assert output["content"].startswith("[section Chapter 42]\n")
    assert f"The answer of chapter 42 is {42 * 7919}." in output["content"]
    assert output["part"].startswith("passages in section Chapter")
    assert not output["complete"]
    nothing = await read_drive_file(context(deps), id_of("ada:/Long.md"), find="zeppelin")
    assert (nothing["content"], nothing["matches"]) == ("", 0)
    assert len(nothing["outline"]) > 1
    with pytest.raises(ModelRetry, match="no word to look for"):
        await read_drive_file(context(deps), id_of("ada:/Long.md"), find="…")


async def test_a_doc_over_the_export_cap_is_read(google: Google):
    """Decision 3."""
    output = await read(google, "ada:/Sensors", "section Day 200", kind="doc")
    assert output["content"].startswith("[section Day 200]\n## Day 200")
    assert output["total_chars"] > 10 * 1024 * 1024


async def test_an_unchanged_file_is_downloaded_once(google: Google):
    """000-57."""
    deps = google.deps()
    for path, kind in (("ada:/Welcome", "doc"), ("ada:/Report.pdf", "file")):
        first = await read_drive_file(context(deps), id_of(path, kind))
        google.forget()
        assert await read_drive_file(context(deps), id_of(path, kind)) == first
        (only,) = google.requests()
        assert only["path"].endswith(id_of(path, kind))
        assert "alt=media" not in only["query"]


async def test_a_changed_file_is_downloaded_again(google: Google):
    deps = google.deps()
    before = await read_drive_file(context(deps), id_of("ada:/Welcome", "doc"))
    google.edit(id_of("ada:/Welcome", "doc"), content="# Welcome\n\nThe cooperative was founded in 1987, in May.\n")
    after = await read_drive_file(context(deps), id_of("ada:/Welcome", "doc"))
    assert "in May" in after["content"]
    assert before["file"]["revision"] != after["file"]["revision"]


async def test_a_file_that_is_no_longer_shared_is_not_read_from_the_cache(google: Google):
    deps = google.deps()
    file_id = id_of("ada:/Finance/Old/Deep notes.txt")
    await read_drive_file(context(deps), file_id)
    deps.drive = google.grant("ben")
    assert "skipped" in await read_drive_file(context(deps), file_id)


async def test_a_key_from_a_folders_address_opens_the_files_in_it(google: Google):
    deps = google.deps()
    address = f"{google.url}/drive/folders/{id_of('partner:/Shared by link')}?resourcekey=0-abcDEF123"
    listed = await list_drive_folder(context(deps), address)
    output = await read_drive_file(context(deps), listed["files"][0]["id"])
    assert output["content"] == "Net thirty days."


async def test_wrong_arguments_are_given_back_to_the_model(google: Google):
    deps = google.deps()
    with pytest.raises(ModelRetry, match="search_files first"):
        await read_drive_file(context(deps), "the budget")
    with pytest.raises(ModelRetry, match="list_drive_folder"):
        await read_drive_file(context(deps), id_of("ada:/Finance"))
    with pytest.raises(ModelRetry, match="is a file, not a folder"):
        await list_drive_folder(context(deps), id_of("ada:/Latin.txt"))
    with pytest.raises(ModelRetry, match="This file has pages 1-3"):
        await read_drive_file(context(deps), id_of("ada:/Report.pdf"), "page 9")
    with pytest.raises(ModelRetry, match="at least one query"):
        await search_files(context(deps), [" "])
    with pytest.raises(ModelRetry, match="at most 200 characters"):
        await search_files(context(deps), ["x" * 201])
    with pytest.raises(ModelRetry, match="YYYY-MM-DD"):
        await search_files(context(deps), ["yield"], since="last May")


@pytest.mark.parametrize("access", [NoGrant(), Grant("stale")])
async def test_a_drive_that_is_not_connected_leads_to_the_settings(google: Google, access: Any):
    """000-47."""
    for call in (search_files, list_drive_folder, read_drive_file):
        with pytest.raises(ToolFailed, match="/settings/integrations"):
            await call(context(google.deps(access)), _argument(call))


async def test_a_google_that_is_down_fails_the_tool_and_not_the_run(google: Google, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("leaf.agent.tools.access.Drive", partial(Drive, patience=IMPATIENT))
    google.fault("/drive/v3/", 503, times=99)
    for call in (search_files, list_drive_folder, read_drive_file):
        with pytest.raises(ToolFailed, match="Google Drive itself has a failure"):
            await call(context(google.deps()), _argument(call))


def _argument(call: Any) -> Any:
    return ["Latin"] if call is search_files else id_of("ada:/Latin.txt")


async def test_the_table_of_a_pdf_is_computed_over(google: Google):
    costs = id_of("ada:/Finance/Costs.pdf")
    (table,) = (
        one for one in (await compute(context(google.deps()), [costs]))["tables"] if "totals" not in one["name"]
    )
    assert (table["place"], table["columns"][1]["unit"]) == ("page 1, table 1, A1:B3", "EUR")
    output = await compute(context(google.deps()), [costs], "SELECT sum(cost_eur) AS cost FROM costs")
    assert (output["rows"], output["files"][0]["kind"]) == ([[1300]], "pdf")
    refused = await compute(context(google.deps()), [id_of("ada:/Locked.txt")])
    assert refused["skipped"]["name"] == "Locked.txt"


async def test_a_computation_builds_on_an_earlier_result_of_the_chat(google: Google):
    """By its name; its files are opened again with the asker's permission."""
    costs, budget = id_of("ada:/Finance/Costs.pdf"), id_of("ada:/Finance/Ada's budget", "sheet")
    kept: list[dict[str, Any]] = []

    async def stored() -> list[dict[str, Any]]:
        return kept

    deps = google.deps()
    deps.cells = Cells(stored)
    made = await compute(context(deps), [costs], "SELECT sum(cost_eur) AS cost FROM costs", name="Total cost")
    assert made["cell"] == "total_cost"
    kept.append(made)
    deps = google.deps()
    deps.cells = Cells(stored)
    query = "SELECT cost - 300 AS rest FROM total_cost"
    rest = await compute(context(deps), [], query, cells=["total_cost"])
    assert (rest["rows"], rest["cell"]) == ([[1000]], "rest")
    assert [one["name"] for one in rest["files"]] == ["Costs.pdf"]
    assert rest["cells"] == [{"name": "total_cost", "query": made["query"], "files": [costs]}]
    again = await compute(context(deps), [costs], "SELECT 1 AS x FROM costs LIMIT 1", name="total_cost")
    assert again["cell"] == "total_cost_2"
    with pytest.raises(ModelRetry, match=r"There is no cell “other”.*Its cells: total_cost"):
        await compute(context(deps), [budget], query, cells=["other"])
    with pytest.raises(ModelRetry, match="Pass 1 to 10 files"):
        await compute(context(deps), [], "SELECT 1 AS x")
    # Who may not open its file gets nothing of it.
    stranger = google.deps(google.grant("ben"))
    stranger.cells = Cells(stored)
    refused = await compute(context(stranger), [], query, cells=["total_cost"])
    assert set(refused) == {"skipped"}
    assert "1300" not in json.dumps(refused)


RULES = "# Rules of the yard\n\n## Gate\n\nThe gate is closed at {hour} p.m.\n\n## Dogs\n\nDogs stay on the lead.\n"


@pytest.fixture
def rules(google: Google) -> Iterator[list[str]]:
    """The ids of a Google Doc, and of a text file that is no Google Doc, each with three versions."""
    with httpx.Client(base_url=google.url, trust_env=False, timeout=60) as http:
        ids: list[str] = []
        folder = uuid4().hex[:8]
        for kind, name in (("doc", "Rules"), ("text", "Rules.txt")):
            entry = {
                "path": f"ada:/Compared {folder}/{name}", "kind": kind, "text": RULES.format(hour=9),
                "modified": "2026-02-01T10:00:00+00:00",
                "versions": [{"text": RULES.format(hour=8), "modified": "2026-01-10T10:00:00+00:00", "by": "ben"}],
            }  # fmt: skip
            ids.append(http.post("/sandbox/files", json=entry).raise_for_status().json()["id"])
            edited = {"content": RULES.format(hour=10).replace("Dogs", "All dogs"), "by": "ben"}
            http.post(f"/sandbox/files/{ids[-1]}", json=edited).raise_for_status()
        yield ids
        for one in ids:
            http.post(f"/sandbox/files/{one}", json={"removed": True}).raise_for_status()


@pytest.fixture
def club(google: Google) -> Iterator[str]:
    """The id of a Google Doc with one version."""
    with httpx.Client(base_url=google.url, trust_env=False, timeout=60) as http:
        text = "# Club\n\nIt was founded in 1987.\n\n## Members\n\nThere are 42 members.\n"
        entry = {"path": f"ada:/Club {uuid4().hex[:8]}/Club", "kind": "doc", "text": text}
        made = http.post("/sandbox/files", json=entry).raise_for_status().json()["id"]
        yield made
        http.post(f"/sandbox/files/{made}", json={"removed": True}).raise_for_status()


async def test_files_are_compared_and_those_that_cannot_be_are_named(google: Google, rules: list[str], club: str):
    """Of three files one is closed for downloads; both sides of a difference have their places."""
    files = [club, id_of("ada:/Locked.txt"), *rules[:1]]
    output = await compare_files(context(google.deps()), files)
    assert [one["name"] for one in output["files"]] == ["Club", "Rules"]
    assert [one["name"] for one in output["left_out"]] == ["Locked.txt"]
    members = next(row for row in output["rows"] if "42 members" in str(row["cells"][0]))
    assert (members["cells"][0]["part"], members["cells"][1]) == ("section Members", None)
    receipt = coverage_of([
        {"type": "tool-compare_files", "toolCallId": "c", "state": "output-available", "input": {}, "output": output}
    ])  # fmt: skip
    assert receipt is not None
    assert [one["name"] for one in receipt["read"]] == ["Club", "Rules"]
    assert [one["name"] for one in receipt["skipped"]] == ["Locked.txt"]
    refused = await compare_files(context(google.deps()), files[:2])
    assert refused["skipped"]["name"] == "Locked.txt"


async def test_a_stranger_compares_nothing_that_is_not_shared_with_them(google: Google):
    files = [id_of("ada:/Finance/Ada's budget", "sheet"), id_of("ada:/Finance/Costs.pdf")]
    output = await compare_files(context(google.deps(google.grant("ben"))), files)
    assert set(output) == {"skipped"}
    assert "1200" not in json.dumps(output)


@pytest.mark.parametrize("which", [0, 1])
async def test_versions_are_compared_by_date_and_person(google: Google, rules: list[str], which: int):
    """As Drive keeps them: of a Google Doc by its exports, of other files by their bytes."""
    file = rules[which]
    last = await compare_files(context(google.deps()), [file])
    assert [(one["version"][:10], one["by"]) for one in last["compared"]] == [
        ("2026-02-01", "Ada Lindqvist"), ("", "Ben Okafor"),
    ]  # fmt: skip
    assert [[one["quote"] for one in row["cells"]] for row in last["rows"]] == [
        ["The gate is closed at 9 p.m.", "The gate is closed at 10 p.m."],
        ["Dogs stay on the lead.", "All dogs stay on the lead."],
    ]
    assert (last["total_versions"], [one["by"] for one in last["versions"]]) == (
        3, ["Ben Okafor", "Ada Lindqvist", "Ben Okafor"],
    )  # fmt: skip
    since = await compare_files(context(google.deps()), [file], ["2026-01-15"])
    assert since["compared"][0]["version"].startswith("2026-01-10")
    all_of = await compare_files(context(google.deps()), [file], [one["id"] for one in last["versions"]], "gate")
    gate = all_of["rows"][0]
    assert [one["value"] for one in gate["cells"]] == ["8", "9", "10"]
    with pytest.raises(ModelRetry, match="There is no version"):
        await compare_files(context(google.deps()), [file], ["yesterday"])
    library = Library.of([Call("compare_files", last)])
    material = library.read["drive", file]
    assert material.versions[0][0].part.startswith("version of 2026-02-01 10:00")


async def test_only_editors_see_versions_and_a_file_may_have_none(google: Google, rules: list[str], club: str):
    """Each with a sentence for the asker; so does a version whose content Drive has dropped."""
    viewer = await compare_files(context(google.deps(google.grant("ben"))), rules[:1])
    assert "only to people who can edit it" in viewer["skipped"]["reason"]
    only = await compare_files(context(google.deps()), [club])
    assert "keeps no earlier version" in only["skipped"]["reason"]
    google.fault(f"/drive/v3/files/{rules[1]}/revisions/", 404, reason="notFound")
    gone = await compare_files(context(google.deps()), [rules[1]], ["first", "current"])
    assert "does not keep the content of the version of “Rules.txt” of 2026-01-10" in gone["skipped"]["reason"]


async def test_an_agent_calls_the_tools_and_sees_their_results(google: Google):
    calls = [
        ("search_files", {"queries": ["yield"]}),
        ("read_drive_file", {"file": id_of("ada:/Report.pdf"), "part": "page 7"}),
        ("read_drive_file", {"file": id_of("ada:/Report.pdf"), "part": "page 2"}),
    ]

    async def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {
            "list_drive_folder", "search_files", "read_drive_file", "compute", "compare_files",
        }  # fmt: skip
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse([ToolCallPart(*calls[turn]) if turn < len(calls) else TextPart("done")])

    agent = Agent(FunctionModel(model), deps_type=Deps, toolsets=[toolset()])
    result = await agent.run("What was the yield?", deps=google.deps())
    returned = [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    assert "317 tonnes" in returned[-1]["content"]
