"""A second click finds the thing done already: nobody is told of an error."""

from leaf.db.models import MessageStatus
from leaf.services import chats, conversations, integrations, sites
from tests.integration.people import end
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import Browser, World


async def test_a_second_retry_is_silent(world: World) -> None:
    """One of an answer that is not the last one any more is refused as before. # 000-48"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        chat_id = await chats.new(who.actor)
        turn = await conversations.ask(who.actor, chat_id, "Hello?")
        await end(turn.assistant.run_id, MessageStatus.ERROR, error_text="x")
        tab = Tab(ada, f"/chat/{chat_id}")
        tab.state("ChatState").enter(str(chat_id))
        for _ in range(2):
            await tab.fire("ChatState.retry", str(turn.assistant.id))
        assert tab.told == [None, None]
        last = (await chats.open(who.actor, chat_id)).messages[-1]
        assert last.unfinished
        await end(last.run_id)
        then = await conversations.ask(who.actor, chat_id, "And then?")
        await tab.fire("ChatState.retry", str(turn.assistant.id))
        assert "still answering" in str(tab.told[-1])
        await end(then.assistant.run_id)
        await tab.fire("ChatState.retry", str(turn.assistant.id))
        assert "Only the last answer" in str(tab.told[-1])


async def test_what_is_gone_already_is_not_missed(world: World) -> None:
    """A connection, a chat, a session. # 000-15"""
    async with Browser() as ada, Browser() as elsewhere:
        who, other = await ada.sign_in("ada"), await elsewhere.sign_in("ada")
        await ada.connect("ada")
        chat_id = await chats.new(who.actor)
        tab = Tab(ada, "/dashboard")
        # The dialog is gone after the first click; another tab's is not.
        for provider in ("google_drive", "", "google_drive"):
            await tab.fire("SettingsState.ask", provider)
            await tab.fire("SettingsState.disconnect")
        for _ in range(2):
            await tab.fire("SidebarState.delete", [str(chat_id)])
            await tab.fire("SettingsState.revoke", str(other.id))
        assert "no access" not in repr(tab.told)
        for said in ("Google Drive is disconnected.", "The chat was deleted."):
            assert sum(said in repr(one) for one in tab.told) == 1


async def test_what_pages_request_by_themselves_tells_nobody_of_a_deleted_chat(world: World) -> None:
    """The page itself shows that the chat is gone. # 000-48"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        chat_id = await chats.new(who.actor)
        tab = Tab(ada, f"/chat/{chat_id}")
        tab.state("ChatState").enter(str(chat_id))
        await chats.delete(who.actor, chat_id)
        await tab.fire("SidebarState.seen", str(chat_id))
        await tab.fire("PresenceState.fill")
        assert len(tab.told) >= 2
        assert "no access" not in repr(tab.told)


async def test_a_finished_check_goes_with_a_new_connection(world: World) -> None:
    """It tells of the account that it has checked, and of no other. # 000-15"""
    async with Browser() as ada:
        await ada.sign_in("ada")
        await ada.connect("ada")
        tab = Tab(ada, "/settings/integrations")
        await tab.fire("SettingsState.check")
        shown = tab.state("SettingsState")
        assert shown.check_text != ""
        assert len(shown.probes) > 0
        actor = await ada.actor()
        shown.show(await integrations.cards(actor))
        assert shown.check_text != "", "the same connection"
        await ada.connect("ben")
        shown.show(await integrations.cards(actor))
        assert (shown.check_text, shown.probes, shown.check_forward, shown.check_link) == ("", [], "", "")


async def test_a_site_is_not_deleted_by_removing_its_last_member(world: World) -> None:
    """The page asks first: all agents, keys and chats would go. # 003-44"""
    async with Browser() as ada, Browser() as ben:
        who, other = await ada.sign_in("ada"), await ben.sign_in("ben")
        site_id = await sites.create(who.actor, "Orchard")
        await sites.join(other.actor, await sites.invite(who.actor, site_id))
        tab = Tab(ada, f"/sites/{site_id}")
        await tab.fire("SiteState.remove", str(other.user_id))
        assert not tab.state("SiteState").deleting
        await tab.fire("SiteState.remove", str(who.user_id))
        assert tab.state("SiteState").deleting
        assert [one.id for one in await sites.listed(who.actor)] == [site_id]
