"""How answers end that do not come to their end, and what a page says when something is away."""

from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.visitor import Chat
from tests.gallery.scene import Chapter
from tests.gallery.stage import Stage, says

chapter = Chapter("When something is wrong")


async def _asked(stage: Stage) -> Chat:
    ada = await stage.visit()
    await stage.furnish(ada, 6)
    return await ada.new_chat()


@chapter.scene("ending-error", "An answer that failed")
async def _error(stage: Stage) -> Page:
    chat = await _asked(stage)
    stage.leaf.fault(path="chat/completions", status=400, reason="badRequest", times=1)
    await chat.ask(questions.PLAIN)
    await chat.finished("error")
    return chat.page


@chapter.scene("ending-stopped", "An answer that was stopped")
async def _stopped(stage: Stage) -> Page:
    text = "The agreement can be ended with 90 days' notice. "
    chat = await stage.asked(questions.PLAIN, says(text * 20), title="Notice of the packaging agreement", pace_ms=100)
    await chat.written(60)
    await chat.stop_button.click()
    await chat.finished("stopped")
    return chat.page


@chapter.scene("ending-limit", "An answer that reached a limit")
async def _limit(stage: Stage) -> Page:
    chat = await _asked(stage)
    async with stage.model("sandbox-loop"):
        await chat.ask(questions.PLAIN)
        await chat.finished()
    await expect(chat.answer.get_by_role("button", name="Continue")).to_be_visible()
    return chat.page


@chapter.scene("chat-unconnected", "A chat without a Drive")
async def _unconnected(stage: Stage) -> Page:
    chat = await (await stage.visit("ben")).new_chat()
    await chat.ask(questions.PLAIN)
    await chat.finished()
    await expect(chat.page.get_by_text("Drive is not connected.", exact=True)).to_be_visible()
    return chat.page


@chapter.scene("chat-missing", "A chat that is not there")
async def _missing(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/chat/nothing-here")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("does not exist")
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
    return page


@chapter.scene("reconnecting", "The connection is lost")
async def _reconnecting(stage: Stage) -> Page:
    chat = await stage.asked(
        "Do apples keep?", says("Apples keep for months in a cool cellar."), title="Do apples keep?"
    )
    await chat.page.context.set_offline(True)
    # Sockets that are open stay open for a browser that is told to be offline.
    await chat.page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    await expect(chat.page.locator(".reconnecting")).to_be_visible(timeout=90_000)
    return chat.page


@chapter.scene("notice", "What failed, said in passing")
async def _notice(stage: Stage) -> Page:
    chat = await stage.asked(
        "Do apples keep?", says("Apples keep for months in a cool cellar."), title="Do apples keep?"
    )
    with stage.leaf.without("redis"):
        await chat.send("And pears?")
        await expect(chat.page.get_by_role("alert").filter(has_text="again")).to_be_visible()
    return chat.page
