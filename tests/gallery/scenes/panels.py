"""Panels at the side: sources, files, changes."""

from playwright.async_api import Page, expect

from tests.browser.visitor import Chat
from tests.gallery.scene import Chapter
from tests.gallery.scenes.answers import about_notice
from tests.gallery.stage import Stage, says, step

chapter = Chapter("At the side")

PLAN = (
    "# Plan for the open day\n\n- Gates open at 10\n- Press from 11\n- Tours each half hour\n"
    "\nWe need *twelve* people.\n"
)


@chapter.scene("panel-sources", "Sources")
async def _sources(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.choose("Sources")
    await expect(chat.page.get_by_role("complementary")).to_be_visible()
    return chat.page


@chapter.scene("panel-files-empty", "No files yet")
async def _none(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.choose("Files")
    await expect(chat.page.get_by_text("No files yet.")).to_be_visible()
    return chat.page


async def _written(stage: Stage) -> Chat:
    return await stage.asked(
        "Write a plan for the open day into open-day.md, then edit open-day.md so that the gates open at 9.",
        step("write_file", {"path": "open-day.md", "content": PLAN}),
        step("write_file", {"path": "people.csv", "content": "name,task\nAda,gates\nBen,press\n"}),
        step(
            "edit_file",
            {
                "path": "open-day.md",
                "old": "- Gates open at 10\n",
                "new": "- Gates open at 9\n- Parking behind the press\n",
            },
        ),
        says("The plan is in open-day.md; the gates open at 9."),
        title="Plan for the open day",
    )


@chapter.scene("panel-files", "Files of a chat")
async def _files(stage: Stage) -> Page:
    chat = await _written(stage)
    await chat.choose("Files")
    await expect(chat.page.get_by_role("complementary").get_by_role("button", name="open-day.md")).to_be_visible()
    return chat.page


@chapter.scene("panel-file", "A file and its versions")
async def _file(stage: Stage) -> Page:
    chat = await _written(stage)
    await chat.choose("Files")
    panel = chat.page.get_by_role("complementary")
    await panel.get_by_role("button", name="open-day.md").click()
    await expect(panel.get_by_role("heading", name="Plan for the open day")).to_be_visible()
    return chat.page


@chapter.scene("panel-diff", "What an edit changed")
async def _diff(stage: Stage) -> Page:
    chat = await _written(stage)
    await chat.answer.locator("details.steps > summary").first.click()
    await chat.answer.locator("details.step").nth(2).locator("summary").click()
    await expect(chat.answer.locator(".diff .added").first).to_be_visible()
    return chat.page
