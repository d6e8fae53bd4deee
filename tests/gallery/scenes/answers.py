"""A chat from its first question to its last answer."""

from typing import Any

from playwright.async_api import Page, expect

from sandbox import sample_drive
from tests.browser.visitor import Chat
from tests.gallery.scene import Chapter
from tests.gallery.stage import ANSWERED_MS, Stage, says, step

chapter = Chapter("Answers")

AGREEMENT = "ada:/Contracts/Packaging supply agreement – Pomona Packing.pdf"
CLOSED = "ada:/Finance/Confidential valuation.pdf"
THOUGHT = (
    "The question is about the packaging agreement. It should lie in Contracts, so I list that folder first. "
    "Then I read the agreement, and look for its term and the notice that it asks for. "
    "There may be an amendment that changes both. "
)


def cited(stage: Stage) -> tuple[dict[str, Any], ...]:
    """Lists a folder, reads two files, and answers with three quotes, of which one does not stand in its file."""
    url = stage.file(AGREEMENT)
    calls = [
        {"name": "list_drive_folder", "arguments": {"folder": sample_drive.id_of("ada:/Contracts")}},
        {"name": "read_drive_file", "arguments": {"file": url}},
        {"name": "read_drive_file", "arguments": {"file": sample_drive.id_of(CLOSED)}},
    ]
    text = (
        "Either side may end the packaging agreement with **90 days' notice** to the end of a contract year.[^1] "
        "The price was lowered with the last amendment.[^2]\n\n"
        "What follows from it:\n\n"
        "- Notice has to be given in writing, by the end of September.\n"
        "- Until then a minimum quantity is owed in any case:\n\n"
        "> The customer takes at least 1.9 million trays in each contract year.\n\n"
        f"— [The agreement]({url}), page 7\n\n"
        f'[^1]: "Either side may end the agreement with 90 days\' notice" — [The agreement]({url}), page 1\n'
        f'[^2]: "The price is EUR 0.18 per tray" — [The agreement]({url}), page 1\n'
    )
    return {"text": "", "reasoning": THOUGHT, "calls": calls}, says(text)


async def about_notice(stage: Stage) -> Chat:
    """A chat with an answer that quotes a contract."""
    return await stage.asked(
        "How much notice does the packaging agreement ask for?",
        *cited(stage),
        title="Notice of the packaging agreement",
    )


@chapter.scene("chat-empty", "An empty chat")
async def _empty(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada, 6)
    chat = await ada.new_chat()
    await expect(chat.page.get_by_text("What would you like to know?")).to_be_visible()
    return chat.page


@chapter.scene("chat-thinking", "Thinking")
async def _thinking(stage: Stage) -> Page:
    chat = await stage.asked(
        "How much notice does the packaging agreement ask for?",
        {
            "text": "",
            "reasoning": THOUGHT * 40,
            "calls": [{"name": "search_files", "arguments": {"queries": ["notice"]}}],
        },
        title="Notice of the packaging agreement",
        pace_ms=100,
    )
    await expect(chat.answer.locator(".thinking-text")).to_contain_text("amendment", timeout=ANSWERED_MS)
    return chat.page


@chapter.scene("chat-streaming", "An answer is being written")
async def _streaming(stage: Stage) -> Page:
    text = "The agreement can be ended with 90 days' notice. It was signed in 2021 and renews itself each January. "
    chat = await stage.asked(
        "How much notice does the packaging agreement ask for?",
        step("search_files", {"queries": ["packaging agreement notice"]}),
        says(text * 30),
        title="Notice of the packaging agreement",
        pace_ms=100,
    )
    await chat.written(300)
    return chat.page


@chapter.scene("chat-cited", "An answer with its sources")
async def _cited(stage: Stage) -> Page:
    return (await about_notice(stage)).page


async def _hover(page: Page) -> None:
    await page.mouse.move(2, 2)
    await expect(page.get_by_role("tooltip")).to_have_count(0)
    number = page.locator(".answer .md button.cite-chip").first
    await number.scroll_into_view_if_needed()
    await number.hover()
    await expect(page.get_by_role("tooltip")).to_be_visible()


@chapter.scene("chat-quote", "The quoted words behind a number", _hover)
async def _quote(stage: Stage) -> Page:
    return (await about_notice(stage)).page


async def _to_group(page: Page) -> None:
    await page.locator("details.steps").first.scroll_into_view_if_needed()


@chapter.scene("chat-research", "What the agent did, opened", _to_group)
async def _research(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.answer.locator("details.steps > summary").first.click()
    steps = chat.answer.locator("details.step")
    await steps.nth(0).locator("summary").click()
    await steps.nth(2).locator("summary").click()
    await expect(steps.nth(2).get_by_label("Output")).to_be_visible()
    return chat.page


@chapter.scene("chat-receipt", "What was looked at, and the quotes with their checks")
async def _receipt(stage: Stage) -> Page:
    chat = await about_notice(stage)
    panel = await chat.open_sources()
    await expect(panel.get_by_text("downloading and copying are switched off")).to_be_visible()
    return chat.page


@chapter.scene("chat-related", "Questions that could follow; what was used")
async def _related(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.answer.get_by_role("button", name="Details").click()
    await expect(chat.answer.locator(".spent")).to_be_visible()
    await chat.page.locator("#thread").evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
    return chat.page


@chapter.scene("chat-edit", "A question is edited")
async def _edit(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.questions.first.get_by_role("button", name="Edit message").click()
    await expect(chat.questions.first.get_by_role("textbox")).to_be_focused()
    return chat.page


@chapter.scene("chat-versions", "Versions of an answer")
async def _versions(stage: Stage) -> Page:
    chat = await stage.asked(
        "Do apples keep?", says("Apples keep for months in a cool cellar."), title="Do apples keep?"
    )
    await chat.answer.get_by_role("button", name="Regenerate").click()
    await expect(chat.answer.get_by_role("group", name="Versions")).to_contain_text("2/2", timeout=ANSWERED_MS)
    await chat.finished()
    await chat.page.reload()
    await expect(chat.answer.get_by_role("group", name="Versions")).to_contain_text("2/2")
    return chat.page


@chapter.scene("chat-feedback", "A thumb, and why")
async def _thumb(stage: Stage) -> Page:
    chat = await stage.asked(
        "Do apples keep?", says("Apples keep for months in a cool cellar."), title="Do apples keep?"
    )
    await chat.answer.get_by_role("button", name="Bad answer").click()
    await expect(chat.page.get_by_label("What was wrong with it?")).to_be_visible()
    return chat.page


@chapter.scene("chat-long", "Several turns of a chat")
async def _long(stage: Stage) -> Page:
    chat = await stage.asked("Do apples keep?", says("Apples keep for months in a cool cellar."), title="Keeping fruit")
    await stage.go_on(
        chat, "And pears?", says("Pears keep for some weeks, if they are picked before they are ripe.\n\n" * 3)
    )
    return (
        await stage.go_on(
            chat,
            "Which of our orchards has a cellar?\nPlease list them with their size.",
            says(
                "## Cellars\n\nTwo of them:\n\n1. **Riverbend**, 400 m²\n2. **Hillside**, 120 m², which is damp"
                "\n\nThe others rent rooms."
            ),
        )
    ).page
