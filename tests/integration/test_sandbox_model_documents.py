"""Questions over real documents: the project's own, as a folder, and a long PDF. # 000-26, 000-53, 000-63"""

import random
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from leaf.views import sources
from sandbox import render
from tests.integration.sandbox_answers import Asker, asker
from tests.integration.sandbox_fixtures import SandboxProcess, running_sandbox

PROJECT = Path(__file__).parent.parent.parent
PAGES = 800
_FILLER = "valve orchard ledger harbour copper lantern meadow signal timber canvas".split()  # noqa: SIM905 - ten words


def station_log() -> bytes:
    """A PDF of many pages that are alike, with one fact on each, and one that stands on a single page."""
    chance = random.Random(7)
    pages = [
        f"# Section {number}\n\n{' '.join(chance.choices(_FILLER, k=40))}.\n\n"
        f"The reading of station {number} was {number * 7919 % 1000} units.\n"
        for number in range(1, PAGES + 1)
    ]
    pages[776] += "\nThe code word of the archive is Marzipan-Falcon.\n"
    return render.pdf(pages)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    folder = tmp_path_factory.mktemp("documents")
    # The first ones: a document that is written later may hold a better answer to one of the questions.
    (folder / "docs").mkdir()
    for decision in (PROJECT / "docs" / "decisions").glob("000[1-7]-*.md"):
        shutil.copy(decision, folder / "docs")
    for document in ("README.md", "docs/configuration.md"):
        shutil.copy(PROJECT / document, folder)
    (folder / "Station log.pdf").write_bytes(station_log())
    with running_sandbox(tmp_path_factory.mktemp("state"), "--drive", str(folder)) as running:
        yield running


@pytest.fixture
async def ada(documents: SandboxProcess, no_environment: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Asker]:
    async with asker(documents, monkeypatch) as asking:
        yield asking


@pytest.mark.parametrize(("question", "file", "said"), [
    ("Why is the lock around a token refresh in Redis?", "0005-locks-for-tokens-in-redis.md", "lock in Redis"),
    ("Which package reads xlsx files?", "0003-packages.md", "xlsx by openpyxl"),
    ("Why does Leaf not use markitdown?", "0003-packages.md", "would bring onnxruntime"),
    ("Who starts the PostgreSQL binaries?", "0003-packages.md", "Leaf starts the binaries itself"),
    ("How is the agent kept from running ahead of its chunks?", "0004-the-agent-waits-for-its-chunks.md", "run ahead"),
    ("How long does compiling and building take?", "0002-make-run-serves-the-production-build.md", "about 10 s"),
    ("What is the default of LEAF_STEP_LIMIT?", "configuration.md", "`50`"),
    ("After how many days does Google end grants in testing mode?", "README.md", "after seven days"),
    ("What is the code word of the archive?", "Station log.pdf", "Marzipan-Falcon"),
    ("What is the code word on page 777?", "Station log.pdf", "Marzipan-Falcon"),
    ("What was the reading of station 512?", "Station log.pdf", "station 512 was 528 units"),
])  # fmt: skip
async def test_a_question_is_answered_from_the_right_file(ada: Asker, question: str, file: str, said: str) -> None:
    answered = await ada.ask(question)
    assert f"[{file}](" in answered.lead, answered.text
    assert said in answered.text
    assert "found no passage" not in answered.text


async def test_the_page_of_a_fact_in_a_long_file_is_named(ada: Asker) -> None:
    answered = await ada.ask("What is the code word of the archive?")
    assert "(page 777)" in answered.lead
    assert any("find" in call.arguments for call in answered.calls)


async def test_what_is_nowhere_is_said_to_be_nowhere(ada: Asker) -> None:
    answered = await ada.ask("What do zeppelins eat for breakfast?")
    assert "nothing was found" in answered.text or "found no passage" in answered.text


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    with running_sandbox(tmp_path_factory.mktemp("sample")) as running:
        yield running


async def test_the_sources_of_an_answer_show_the_passages_that_it_quotes(
    sample: SandboxProcess, no_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 000-37"""
    async with asker(sample, monkeypatch) as ada:
        answered = await ada.ask("What is the marketing budget for 2026?")
    assert "260000" in answered.lead
    shown = sources.of([{"id": "m", "role": "assistant", "metadata": {}, "parts": answered.parts}])
    used = {source.name: "\n".join(excerpt.used for excerpt in source.excerpts) for source in shown}
    assert "Marketing,50000,80000,70000,60000,260000" in used["Operating budget 2026"]
    assert "Marketing gets EUR 260,000" in used["Budget letter 2026"]
