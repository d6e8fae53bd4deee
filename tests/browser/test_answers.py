"""From a question to its answer, its steps and its sources."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.visitor import Chat, Visit, words


@pytest.mark.usefixtures("slowly")
async def test_an_answer_about_a_folder_streams_in_and_ends(visit: Visit, leaf: Product) -> None:
    """It is seen at three lengths before its end, and stored as it was shown. # 000-18 000-33 000-42 000-46"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.about_contracts(leaf))
    await expect(chat.questions.last).to_contain_text("Who signed the packaging agreement?")
    lengths: list[int] = []
    for wanted in (30, 250, 550):
        lengths.append(len(await chat.written(wanted)))
        await expect(chat.stop_button).to_be_visible()
    assert lengths == sorted(set(lengths)), lengths
    await leaf.hurry()
    text = await chat.finished()
    assert len(text) > lengths[-1]
    await expect(chat.stop_button).to_have_count(0)
    await expect(chat.page.get_by_role("button", name="Send", exact=True)).to_be_visible()
    rows = await questions.stored(leaf, chat.id)
    assert [(row["role"], row["status"]) for row in rows] == [("user", "completed"), ("assistant", "completed")]
    assert words(text) == words(questions.drawn(questions.text_of(rows[1]["parts"])))


async def test_the_sources_are_exactly_the_files_that_were_read(answered: Chat, leaf: Product) -> None:
    """Each with its address in Drive, where it opens. # 000-37 000-56"""
    rows = await questions.stored(leaf, answered.id)
    read = questions.files_read(rows[-1]["parts"])
    assert read
    panel = answered.page.get_by_role("complementary")
    for opened in (answered.open_sources(), answered.choose("Sources")):
        await opened
        links = panel.locator("li.source a.source-name")
        await expect(links).to_have_count(len(read))
        # Of a whole chat, files that no answer uses are folded under one line.
        shown = {
            (await link.text_content() or "").strip(): await link.get_attribute("href") for link in await links.all()
        }
        assert shown == read
        await expect(panel.locator("blockquote").first).not_to_be_empty()
        await panel.get_by_role("button", name="Close panel").click()
        await expect(panel).to_have_count(0)
    await answered.choose("Sources")
    async with answered.page.context.expect_page() as opened:
        await panel.locator("a.source-name").first.click()
    document = await opened.value
    await expect(document.get_by_role("heading", level=1).first).to_have_text(next(iter(read)))
    assert urlsplit(document.url).netloc == urlsplit(leaf.sandbox_url).netloc


async def test_an_answer_without_a_file_says_so_and_offers_to_search_drive(visit: Visit, leaf: Product) -> None:
    """Also where the model calls no tool, as small local models do. # 000-37"""
    chat = await (await visit("ada")).new_chat()
    questions.answer_with(leaf, "Thirty days.")
    await chat.ask(questions.PLAIN)
    await chat.finished()
    await expect(chat.evidence).to_have_text("Not from your DriveSearch my Drive")
    await chat.evidence.get_by_role("button", name="Search my Drive").click()
    await expect(chat.answers).to_have_count(2)
    await expect(chat.questions.last).to_contain_text(f"Search my Drive: {questions.PLAIN}")
    await chat.finished()
    await expect(chat.evidence).to_have_text(re.compile(r"^\d sources? · \d+ read"))


async def test_a_step_opens_to_its_input_and_output(answered: Chat) -> None:
    """# 000-36"""
    group = answered.answer.locator("details.steps").first
    await group.locator("summary").first.click()
    step = group.locator("details.step").last
    await expect(step).to_be_visible()
    await step.locator("summary").click()
    await expect(step.locator('pre[aria-label="Input"]')).to_contain_text('"')
    await expect(step.locator('pre[aria-label="Output"]')).not_to_be_empty()
    # A click closes it again, and the choice is the reader's: nothing opens by itself.
    await step.locator("summary").click()
    await expect(step.locator('pre[aria-label="Input"]')).to_be_hidden()


async def test_a_finished_chat_looks_the_same_when_it_is_opened_again(answered: Chat) -> None:
    """# 000-42"""
    checking = answered.answer.get_by_text("Checking with Google Drive…")
    await expect(checking).to_have_count(0)
    html = await answered.answer.inner_html()
    await answered.page.reload()
    await answered.finished()
    await expect(checking).to_have_count(0)
    assert re.sub(r"«?:?r\w+:?»?", "", await answered.answer.inner_html()) == re.sub(r"«?:?r\w+:?»?", "", html)


@pytest.mark.usefixtures("unhurried")
async def test_stop_keeps_the_text_and_lets_one_go_on_at_once(visit: Visit, leaf: Product) -> None:
    """The model's stream ends too. # 000-43"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.PLAIN)
    before = await chat.written(250)
    await chat.stop_button.click()
    text = await chat.finished("stopped")
    assert words(text)[: len(words(before)) - 3] == words(before)[:-3]
    await expect(chat.answer.get_by_text("Stopped")).to_be_visible()
    await expect(chat.box).to_be_editable()
    assert leaf.model_requests()[-1]["finish"] == "disconnected"
    rows = await questions.stored(leaf, chat.id)
    assert rows[-1]["status"] == "stopped"
    assert words(questions.drawn(questions.text_of(rows[-1]["parts"]))) == words(text)
    await chat.ask("And what about the lease?")
    await chat.written(30)
    await chat.stop_button.click()
    await chat.finished("stopped")
    await expect(chat.answers.first.get_by_text("Stopped")).to_be_visible()


async def test_a_failed_answer_can_be_tried_again_with_the_same_question(visit: Visit, leaf: Product) -> None:
    """# 000-43 000-48"""
    chat = await (await visit("ada")).new_chat()
    leaf.fault(path="chat/completions", status=400, reason="badRequest", times=1)
    await chat.ask(questions.PLAIN)
    await chat.finished("error")
    await expect(chat.answer.get_by_role("alert")).not_to_be_empty()
    await chat.page.reload()
    await chat.finished("error")
    await chat.retry_button.click()
    text = await chat.finished()
    assert text
    await expect(chat.questions).to_have_count(1)
    await expect(chat.answers).to_have_count(1)
    leaf.use_model("sandbox:sandbox-slow-40")
    await chat.page.get_by_role("button", name="Regenerate").click()
    await expect(chat.stop_button).to_be_visible()
    leaf.use_model(None)
    await leaf.hurry()
    await chat.finished()
    await expect(chat.questions).to_have_count(1)
    rows = await questions.stored(leaf, chat.id)
    ended = [("user", "completed"), ("assistant", "completed"), ("assistant", "completed")]
    assert [(row["role"], row["status"]) for row in rows] == ended, "what was written again stays beside the new one"


@pytest.mark.usefixtures("unhurried")
async def test_a_reply_moves_its_chat_to_the_top_of_the_sidebar(visit: Visit) -> None:
    """And the dashboard lists and opens chats. # 000-39 000-49"""
    ada = await visit("ada")
    asked = ("First question about the harvest", "Second question about the lease")
    paths = [await ada.told(question) for question in asked]
    chat = await ada.chat(paths[1])
    await chat.finished()
    links = chat.page.locator("nav#sidebar a.chat-link")
    await expect(links.nth(0)).to_have_attribute("href", paths[1])
    await expect(links.nth(1)).to_have_attribute("href", paths[0])
    await links.nth(1).click()
    await expect(chat.page).to_have_url(ada.leaf.url + paths[0])
    await expect(chat.questions).to_have_text(["First question about the harvest"])
    await chat.ask("More about it")
    await expect(links.nth(0)).to_have_attribute("href", paths[0])
    await chat.stop_button.click()
    await chat.finished("stopped")
    page = await ada.open("/dashboard")
    links = page.locator("nav#sidebar a.chat-link")
    await expect(links.nth(0)).to_have_attribute("href", paths[0])
    await links.nth(1).click()
    await expect(page).to_have_url(ada.leaf.url + paths[1])
    await expect(Chat(page).questions).to_have_text(["Second question about the lease"])


async def test_a_new_chat_leaves_no_empty_ones_behind(visit: Visit, leaf: Product) -> None:
    """# 000-46"""
    ada = await visit("ada")
    first = await ada.new_chat(await ada.open())
    again = await ada.new_chat(await ada.open())
    assert again.id == first.id


@pytest.mark.usefixtures("unhurried")
async def test_the_dashboard_starts_a_chat_with_a_question(visit: Visit) -> None:
    """# 000-46 000-49"""
    ada = await visit("ada")
    chat = Chat(await ada.open("/dashboard"))
    await expect(chat.box).to_be_focused()
    await chat.box.fill("What does the handbook say about holidays?")
    await chat.box.press("Enter")
    await chat.page.wait_for_url("**/chat/*")
    await expect(chat.questions).to_contain_text(["What does the handbook say about holidays?"])
    await chat.written(30)
    await chat.stop_button.click()
    await chat.finished("stopped")


@pytest.mark.usefixtures("slowly")
async def test_messages_are_articles_with_names_and_the_live_region_tells_beginning_and_end(
    visit: Visit, leaf: Product
) -> None:
    """Screen readers find each message by a name."""
    chat = await (await visit("ada")).new_chat()
    await chat.page.evaluate(
        """() => {
            window.spoken = [];
            const region = document.getElementById('live-region');
            new MutationObserver(() => window.spoken.push(region.textContent))
                .observe(region, {childList: true, characterData: true, subtree: true});
        }"""
    )
    region = chat.page.locator("#live-region")
    await expect(region).to_have_attribute("aria-live", "polite")
    await chat.ask(questions.PLAIN)
    await chat.written(30)
    await expect(chat.answer).to_have_attribute("aria-busy", "true")
    await leaf.hurry()
    await chat.finished()
    await expect(region).to_have_text("Leaf has answered.")
    await expect(chat.answer).to_have_attribute("aria-busy", "false")
    assert await chat.questions.count() == 1
    assert await chat.answers.count() == 1
    spoken = await chat.page.evaluate("window.spoken")
    assert [one for one in spoken if one] == ["Leaf is answering.", "Leaf has answered."]


async def test_an_answer_that_reached_a_limit_can_be_continued(visit: Visit, leaf: Product) -> None:
    """It says that it is partial, and one click asks for the rest. # 000-43 001-21"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    leaf.use_model("sandbox:sandbox-loop-1")
    try:
        await chat.ask(questions.PLAIN)
        assert "limit of 20 steps" in await chat.finished()
        await expect(
            chat.answer.get_by_text("This answer is partial: it used all the steps that one answer may take.")
        ).to_be_visible()
    finally:
        leaf.use_model(None)
    await chat.answer.get_by_role("button", name="Continue").click()
    await expect(chat.questions).to_have_text([questions.PLAIN, "Please go on."])
    await expect(chat.answers).to_have_count(2)
    await chat.finished()
    await expect(chat.page.get_by_role("button", name="Continue")).to_have_count(0)


async def test_links_that_name_their_address_elsewhere_lead_there(visit: Visit, leaf: Product) -> None:
    """Each block of an answer is drawn by itself; its references hold all the same. # 000-35"""
    chat = await (await visit("ada")).new_chat()
    defined = "[1]: https://orchard.example/plan\n[bad]: javascript:alert(1)"
    questions.answer_with(leaf, f"See [the plan][1] and [this][bad].\n\n```\n[code][1]\n```\n\n{defined}\n\nThe end.")
    await chat.ask("Where is it?")
    await chat.finished()
    await expect(chat.answer.get_by_role("link", name="the plan")).to_have_attribute(
        "href", "https://orchard.example/plan"
    )
    await expect(chat.answer.locator(".md a")).to_have_count(1)
    await expect(chat.answer.locator(".md-code")).to_have_text(re.compile(r"\[code\]\[1\]$"))
    assert "https://orchard.example" not in await chat.text()


async def test_links_show_where_they_lead(visit: Visit, leaf: Product) -> None:
    """Beside words like an address, and for a host that no tool has found; any host at the focus. # 000-35"""
    chat = await (await visit("ada")).new_chat()
    hides = "[https://accounts.google.com/signin](https://evil.example/login 'google.com')"
    questions.answer_with(
        leaf, f"{hides}, [**goo**gle.com](https://found.example/), [the page](https://found.example/a)."
    )
    await chat.ask("Where is found.example?")
    await chat.finished()
    await expect(chat.answer.locator(".md .link-host")).to_have_text(["(evil.example)", "(found.example)"])
    link = chat.answer.get_by_role("link", name="the page")
    await link.focus()
    assert await link.evaluate("one => getComputedStyle(one, '::after').content") == '"found.example"'
    assert await chat.answer.locator(".md a[title]").count() == 0


@pytest.mark.usefixtures("scripted")
async def test_a_growing_text_is_at_each_moment_the_beginning_of_the_whole(visit: Visit) -> None:
    """Also with signs for which JavaScript counts two units. # 000-33"""
    words = " ".join(f"🍐{number} pears 𝒙 👩‍🌾." for number in range(30))
    chat = await (await visit("ada")).new_chat()
    await chat.page.evaluate(
        """() => {
            window.seen = [];
            const look = () => {
                const text = document.querySelector('.message.answer.live .md')?.textContent;
                if (text && text !== window.seen.at(-1)) window.seen.push(text);
            };
            new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )
    await chat.ask(script({"text": words}))
    await chat.finished()
    seen: list[str] = await chat.page.evaluate("() => window.seen")
    assert len(seen) > 10
    assert [one for one in seen if not words.startswith(one.rstrip())] == []
