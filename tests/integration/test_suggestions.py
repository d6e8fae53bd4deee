"""Suggested questions over a connection: the member's own files, asked for once, and none that cannot work."""

from leaf.services import integrations, suggestions
from leaf.services.suggestions import RECENT
from tests.integration.web_fixtures import World

FILES = "/drive/v3/files"


async def test_questions_name_the_members_own_files_and_drive_is_asked_once(world: World) -> None:
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        ada = await browser.actor()
        email = await suggestions.account(ada)
        assert email == "ada@sandbox.leaf.example"
        world.forget_requests()
        found = await suggestions.of_drive(ada, email)
        assert [one.kind for one in found] == ["points", "numbers", "compare", "recent"]
        asked = len(world.asked(FILES))
        assert asked == 1
        assert await suggestions.of_drive(ada, email) == found
        assert len(world.asked(FILES)) == asked


async def test_without_a_connection_there_is_no_account_to_ask_about(world: World) -> None:
    async with world.browser("ben") as browser:
        assert await suggestions.account(await browser.actor()) == ""


async def test_a_drive_that_fails_leaves_the_question_that_any_drive_can_answer(world: World) -> None:
    """The failure is not kept."""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        ada = await browser.actor()
        email = await suggestions.account(ada)
        world.fault(path=FILES, status=500, times=20)
        assert await suggestions.of_drive(ada, email) == [RECENT]
        world.forget_faults()
        assert len(await suggestions.of_drive(ada, email)) == 4


async def test_asking_for_questions_ends_a_trouble_that_is_over(world: World) -> None:
    """A member who has Leaf keep no texts would otherwise read for days of an hour in which Google failed."""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        ada = await browser.actor()
        await integrations.stop_keeping(ada)
        world.fault(path=FILES, status=500, times=20)
        await suggestions.of_drive(ada, await suggestions.account(ada))
        assert integrations.state_of(await integrations.cards(ada)) == "trouble"
        world.forget_faults()
        email = await suggestions.account(ada)
        assert email == "ada@sandbox.leaf.example"
        assert len(await suggestions.of_drive(ada, email)) == 4
        assert integrations.state_of(await integrations.cards(ada)) == "connected"
