"""Before and after somebody is signed in."""

from playwright.async_api import Page, expect

from tests.gallery.scene import Chapter
from tests.gallery.stage import Stage

chapter = Chapter("Coming and going")


@chapter.scene("landing", "The first page")
async def _landing(stage: Stage) -> Page:
    return await (await stage.visit(None)).open("/")


@chapter.scene("landing-declined", "You declined at Google")
async def _declined(stage: Stage) -> Page:
    stranger = await stage.visit(None)
    page = await stranger.open("/")
    await page.get_by_role("button", name="Sign in with Google").click()
    await stranger.allow(page, decision="Deny")
    await expect(page.get_by_text("You declined at Google")).to_be_visible()
    return page


@chapter.scene("missing-page", "A page that is not there")
async def _missing(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/no-such-page")
    await expect(page.get_by_text("There is no such page.")).to_be_visible()
    return page


@chapter.scene("goodbye", "After an account was deleted")
async def _goodbye(stage: Stage) -> Page:
    page = await (await stage.visit(None)).open("/goodbye")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


@chapter.scene("feedback", "Feedback, for strangers as well")
async def _feedback(stage: Stage) -> Page:
    page = await (await stage.visit(None)).open("/feedback")
    await expect(page.get_by_label("Your message")).to_be_visible()
    return page
