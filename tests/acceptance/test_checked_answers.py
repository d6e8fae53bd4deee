"""The quotes of an answer are checked against the texts that were read, and a receipt lists the sources."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaf import citations
from leaf.db import Actor
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from leaf.views import receipts, rows
from sandbox import blocks, corpus, render
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.test_waiting import QUESTION as CHOICE
from tests.acceptance.test_waiting import asked, ended, question_of
from tests.acceptance.workers import Crew
from tests.unit.test_documents_files import pdf

ROOT = Path(__file__).parents[2]
AGREEMENT, DRAWING, LEASE = "Packaging agreement.pdf", "Drawing.pdf", "Cold store lease.md"
FIRST = "The price is EUR 0.38 per tray … by no more than 4 percent"
RIGHT = "Either side may end the agreement with 90 days’ notice to the end of a contract year, in writing."
PAGE = "page 3"
MODEL = "sandbox:sandbox-script"


def _script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _of(parts: list[dict[str, Any]], kind: str) -> Any:
    found = [part for part in parts if part["type"] == kind]
    assert len(found) == 1, f"{len(found)} parts {kind}"
    return found[0]["data"]


@pytest.fixture
def contracts(stack: Stack) -> Iterator[None]:
    """Three more files in ada's Drive: one with pages, one without text, and one that the answer does not read."""
    folder = stack.folder / "drive"
    source = (ROOT / "sandbox/sample/contracts/pomona-packaging-agreement.md").read_text()
    made = {
        AGREEMENT: render.pdf(blocks.pages(source)),
        DRAWING: pdf([None]),
        LEASE: b"The lease ends on the last day of the year.",
    }
    for name, data in made.items():
        (folder / name).write_bytes(data)
    yield
    for name in made:
        (folder / name).unlink()


def _id(name: str) -> str:
    return corpus.opaque_id(f"folder {name}")


@pytest.mark.usefixtures("contracts")
async def test_each_quote_is_checked_and_gets_the_page_where_it_was_found(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """The quotes are correct, correct with a wrong page, invented, and from a file that was not read. # 000-37"""
    await crew.of(1)
    agreement, lease = (f"{sandbox.url}/file/d/{_id(name)}/view" for name in (AGREEMENT, LEASE))
    answer = (
        "Either party may end it.[^a] It is about crates.[^2] It costs nothing.[^3] The lease is longer.[^4]\n\n"
        f"> {RIGHT}\n\n— [Packaging supply agreement]({agreement}), page 9\n\n"
        f"[^a]: “{RIGHT.upper()}” — [the agreement]({agreement}), page 1\n"
        f'[^2]: "{FIRST}" — [the agreement]({agreement}), page 7\n'
        f'[^3]: "{RIGHT.replace("90", "30")}" — [the agreement]({agreement}), page 2\n'
        f'[^4]: "The lease ends on the last day of the year" — [Lease]({lease}), page 2\n'
    )
    looking = [
        _call("list_drive_folder", folder="root"),
        _call("read_drive_file", file=agreement),
        _call("read_drive_file", file=_id(DRAWING)),
    ]
    script = _script({"text": "", "calls": looking}, {"text": answer})
    chat_id = await chats.new(ada)
    turn = await ask(ada, script, chat_id=chat_id, model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    kinds = [chunk["type"] for chunk in reader.chunks]
    assert kinds.index(citations.COVERAGE) < kinds.index(citations.CITATIONS) < kinds.index("finish")
    cited = _of(stored.parts, citations.CITATIONS)
    assert [(one["n"], one["verified"], one["reason"], one["part"]) for one in cited] == [
        (1, True, None, PAGE),
        (2, True, None, "page 1"),
        (3, False, "not_found", "page 2"),
        (4, False, "not_read", "page 2"),
        (5, True, None, PAGE),
    ]
    assert {one["file_id"] for one in cited} == {_id(AGREEMENT), _id(LEASE)}
    assert cited[0]["url"] == agreement
    assert cited[0]["revision"]
    assert cited[0]["before"]
    assert cited[3]["name"] == LEASE
    coverage = _of(stored.parts, citations.COVERAGE)
    assert (len(coverage["folders"]), [one["name"] for one in coverage["read"]]) == (1, [AGREEMENT])
    (skipped,) = coverage["skipped"]
    assert skipped["cause"] == "no_text"
    assert coverage["found"] == 5

    again = _script({"text": f"As I said.[^1]\n\n[^1]: “{RIGHT}” — [the agreement]({agreement})\n"})
    turn = await ask(ada, again, chat_id=chat_id, model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (one,) = _of(stored.parts, citations.CITATIONS)
    assert (one["verified"], one["part"]) == (True, PAGE), "files that an earlier turn has read count"
    assert not [part for part in stored.parts if part["type"] == citations.COVERAGE]


async def test_quotes_from_chat_files_and_web_pages_are_checked(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """# 001-06, 002-15"""
    await crew.of(1)
    page = f"{sandbox.url}/web/weather-book/how-hail-forms"
    answer = (
        "The plan has three lines.[^1] Hail needs wind.[^2] Invented.[^3]\n\n"
        "[^1]: “the second line – of the plan” — plan.md, lines 7-9\n"
        f"[^2]: “one of 5 cm more than 100 km/h” — [How hail forms]({page})\n"
        f"[^3]: “one of 5 cm more than 900 km/h” — [How hail forms]({page})\n"
    )
    plan = "one\nThe second line -\nof the plan.\n"
    chat_id = await chats.new(ada)
    await ChatFiles(ada, chat_id).upload("plan.md", plan.encode())
    reads = [_call("read_file", path="plan.md"), _call("fetch", url=page)]
    turn = await ask(ada, _script({"text": "", "calls": reads}, {"text": answer}), chat_id=chat_id, model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    cited = _of(stored.parts, citations.CITATIONS)
    assert [(one["kind"], one["verified"]) for one in cited] == [("chat", True), ("web", True), ("web", False)]
    assert cited[0]["part"] == "line 2"
    assert cited[1]["url"].startswith(f"{page}#:~:text=one%20of%205%20cm")
    coverage = _of(stored.parts, citations.COVERAGE)
    assert [one["path"] for one in coverage["chat_files"]] == ["plan.md"]
    assert [one["url"] for one in coverage["web"]["pages"]] == [page]


async def test_quotes_of_the_sandbox_model_are_verified(crew: Crew, ada: Actor, ask: Ask) -> None:
    """The sandbox model writes a footnote, and quotations with a link below them."""
    await crew.of(1)
    turn = await ask(ada, QUESTION)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    cited = _of(stored.parts, citations.CITATIONS)
    assert cited
    assert [one for one in cited if not one["verified"]] == []


async def test_a_second_worker_does_not_repeat_citations(crew: Crew, ada: Actor, ask: Ask) -> None:
    """The parts have fixed ids, so the parts of a second check replace the parts of the first. # 000-37"""
    await crew.of(2)
    text = "This is said slowly. " * 40
    chat_id = await chats.new(ada)
    await ChatFiles(ada, chat_id).upload("log.md", b"These are words that can be quoted.\n")
    script = _script(
        {"text": "", "calls": [_call("list_files")]},
        {"text": "", "calls": [_call("read_file", path="log.md")]},
        {"text": f"{text}[^1]\n\n[^1]: “words that can be quoted” — log.md\n"},
    )
    turn = await ask(ada, script, chat_id=chat_id, model="sandbox:sandbox-script-20")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: len(reader.tools()) == 2 and reader.words > 20)
        await crew.lose_writer_of(turn.assistant.run_id)
        stored = await reader.end()
    assert stored.status == "completed"
    (one,) = _of(stored.parts, citations.CITATIONS)
    assert one["verified"]
    assert len(_of(stored.parts, citations.COVERAGE)["chat_files"]) == 1


async def test_a_stopped_answer_has_a_receipt(crew: Crew, ada: Actor, ask: Ask) -> None:
    """A footnote mark without a definition does not count as an unverified quote. # 000-37"""
    await crew.of(1)
    script = _script(
        {"text": "", "calls": [_call("list_files")]},
        {"text": "", "calls": [_call("grep", pattern="nothing")]},
        {"text": "A claim.[^1] " + "This is said slowly. " * 200},
    )
    turn = await ask(ada, script, chat_id=await chats.new(ada), model="sandbox:sandbox-script-20")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.words > 20)
        await conversations.stop(ada, turn.assistant.run_id)
        stored = await reader.end()
    assert stored.status == "stopped"
    (one,) = _of(stored.parts, citations.CITATIONS)
    assert (one["verified"], one["reason"]) == (False, "cut_off")
    coverage = receipts.coverage_of(stored.parts)
    assert "unverified" not in coverage.brief
    assert not coverage.warns
    assert "[^" not in str(rows.row_of(stored).body)
    assert _of(stored.parts, citations.COVERAGE)["chat_searches"] == [
        {"pattern": "nothing", "lines": 0, "files": 0, "partial": False}
    ]
    listing = {"pattern": "**", "files": 0, "shown": 0, "partial": False}
    assert _of(stored.parts, citations.COVERAGE)["chat_listings"] == [listing]


async def test_an_answer_is_checked_when_it_waits_and_when_it_ends(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask
) -> None:
    """Files that were read before the agent's question count after it, and each part exists once. Text that the answer
    wrote itself does not count. # 000-37, 002-17
    """
    await crew.of(1)
    steps = _script(
        {"text": "", "calls": [_call("write_file", path="a.md", content="These words are in the file.\n")]},
        {"text": "", "calls": [_call("read_file", path="a.md")]},
        {
            "text": "First.[^1]\n\n[^1]: “These words are in the file” — a.md\n\n",
            "calls": [_call("askQuestion", **CHOICE)],
        },
        {"text": "Then.[^1]\n\n[^1]: “These words are in the fire” — a.md\n"},
    )
    chat_id, stopped = await asked(ask, ada, steps)
    assert stopped.status == "waiting"
    assert [one["reason"] for one in _of(stopped.parts, citations.CITATIONS)] == ["own"]
    assert len(_of(stopped.parts, citations.COVERAGE)["chat_files"]) == 1
    with stack.model(MODEL):
        assert (
            await conversations.answer(ada, stopped.id, question_of(stopped)["toolCallId"], {"selectedOptions": ["q2"]})
        ).assistant.unfinished
    whole, _ = await ended(ada, chat_id)
    assert whole.status == "completed"
    cited = _of(whole.parts, citations.CITATIONS)
    assert [(one["n"], one["verified"], one["reason"]) for one in cited] == [(1, False, "own"), (2, False, "not_found")]
    slots = {slot for one in cited for slot, _, _ in one["at"]}
    assert [whole.parts[slot]["text"].split(".")[0] for slot in sorted(slots)] == ["First", "Then"]


async def test_a_link_that_no_tool_returned_is_unverified_after_a_question_too(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """Links that were found before the agent's question count after it and in the next turn. # 002-14"""
    await crew.of(1)
    page = f"{sandbox.url}/web/weather-book/how-hail-forms"
    made_up = "https://made-up.example/hail"
    links = f"Hail grows [1]({page}/) and falls [2]({made_up})."
    # The address is escaped in the question: an address that the user states would count as known.
    steps = _script(
        {"text": "", "calls": [_call("search", query="how hail forms")]},
        {"text": "One thing first. ", "calls": [_call("askQuestion", **CHOICE)]},
        {"text": links},
    ).replace("made-up", "\\u006dade-up")
    chat_id, stopped = await asked(ask, ada, steps)
    assert stopped.status == "waiting"
    assert not [part for part in stopped.parts if part["type"] == citations.CITATIONS]
    with stack.model(MODEL):
        assert (
            await conversations.answer(ada, stopped.id, question_of(stopped)["toolCallId"], {"selectedOptions": ["q2"]})
        ).assistant.unfinished
    whole, _ = await ended(ada, chat_id)
    (one,) = _of(whole.parts, citations.CITATIONS)
    assert (one["verified"], one["reason"], one["url"]) == (False, "not_given", made_up)
    ((slot, _, end),) = one["at"]
    assert whole.parts[slot]["text"][:end].endswith(f"]({made_up})")
    again = (
        _script({"text": links}).replace("made-up", "\\u006dade-up").replace(page, page.replace("hail", "\\u0068ail"))
    )
    turn = await ask(ada, again, chat_id=chat_id, model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (one,) = _of(stored.parts, citations.CITATIONS)
    assert one["url"] == made_up, "links of an earlier search count, and links that only an earlier answer wrote do not"


async def test_text_that_leaf_wrote_verifies_no_quote_and_uploaded_text_does(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """Text that Leaf wrote is no evidence, even in a later turn. A copied quote links to its source. # 000-37"""
    await crew.of(1)
    chat_id = await chats.new(ada)
    await ChatFiles(ada, chat_id).upload("plan.md", b"The board meets each May.\nThe director reports to it.\n")
    page = f"{sandbox.url}/web/weather-book/how-hail-forms"
    invention = "The director may spend any sum alone."
    written = [
        _call("write_file", path="notes.md", content=f"{invention}\nAn updraught of one of 5 cm more than 100 km/h.\n"),
        _call("edit_file", path="plan.md", old="The director reports", new=f"{invention} The director reports"),
    ]
    reads = [_call("read_file", path="notes.md"), _call("read_file", path="plan.md")]
    answer = (
        "A[^1] b[^2] c[^3] d[^4] e[^5]\n\n"
        f"[^1]: “{invention}” — notes.md\n[^2]: “{invention}” — plan.md\n[^3]: “The board meets each May” — plan.md\n"
        f"[^4]: “one of 5 cm more than 100 km/h” — notes.md\n[^5]: “{invention}”\n"
    )
    expected = [
        (False, "own", "notes.md"),
        (False, "own", "plan.md"),
        (True, None, "plan.md"),
        (True, None, "How hail forms"),
        (False, "own", "plan.md"),
    ]
    first = _script({"text": "", "calls": [_call("read_file", path="plan.md"), _call("fetch", url=page)]},
                    {"text": "", "calls": written}, {"text": "", "calls": reads}, {"text": answer})  # fmt: skip
    again = _script({"text": "", "calls": reads}, {"text": answer})
    for script in (f"Please write notes.md and change plan.md.\n\n{first}", again):
        turn = await ask(ada, script, chat_id=chat_id, model=MODEL)
        async with reading(ada, turn.assistant.run_id) as reader:
            stored = await reader.end()
        assert stored.status == "completed"
        cited = _of(stored.parts, citations.CITATIONS)
        assert [(one["verified"], one["reason"], one["name"]) for one in cited] == expected
