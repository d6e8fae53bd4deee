"""Answers and file names that try to run something, to load something, or to lead somewhere."""

import re
from urllib.parse import unquote

import httpx
import pytest
from playwright.async_api import expect

from sandbox import sample_drive
from sandbox.providers import texts
from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

HARMLESS = """(root) => {
    const bad = [...root.querySelectorAll('script, img, iframe, form, style, object, embed, input, details[open] > p')];
    const handlers = [...root.querySelectorAll('*')].filter((one) =>
        [...one.attributes].some(({name}) => name.startsWith('on')));
    const links = [...root.querySelectorAll('a')].map((one) => one.getAttribute('href') ?? '')
        .filter((href) => !/^(https?:|mailto:|\\/(?!\\/)|#)/.test(href));
    return [...bad, ...handlers].map((one) => one.outerHTML).concat(links);
}"""
HOSTILE_NAME = '"><img src=x onerror="window.leafHacked=true"><script>window.leafHacked=true</script> minutes'
EXTRA = """
<math><mtext></table><img src=x onerror="window.leafHacked=true"></mtext></math>

[proto](//tracker.example/x) [tab](java\tscript:window.leafHacked=true) [feed](feed:javascript:window.leafHacked=true)
![data](data:image/svg+xml;base64,PHN2Zy8+) <a href="javascript:window.leafHacked=true">raw</a>

[ref]: javascript:window.leafHacked=true
[a reference][ref] <javascript:window.leafHacked=true> ![ref][ref]
"""


async def _assert_harmless(chat: Chat) -> None:
    assert await chat.answer.evaluate(HARMLESS) == []
    for link in await chat.answer.locator(".md a").all():
        if not ((await link.get_attribute("href")) or "").startswith("http"):
            await link.click()
    assert await chat.page.evaluate("window.leafHacked === undefined")
    assert "hacked" not in await chat.page.title()
    await expect(chat.box).to_be_visible()


async def test_nothing_in_an_answer_runs_loads_or_leads_astray(visit: Visit, leaf: Product) -> None:
    """Raw HTML stays text; images are not fetched; only harmless links are links. # 000-35"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    questions.answer_with(leaf, texts.hostile() + EXTRA)
    await chat.ask("Show me everything")
    await chat.finished()
    await expect(chat.answer).to_contain_text("The end of the hostile answer.")
    await expect(chat.answer).to_contain_text("<script>window.leafHacked = true</script>")
    await expect(chat.answer).to_contain_text("A remote image")
    await _assert_harmless(chat)
    await chat.page.reload()
    await chat.finished()
    await _assert_harmless(chat)
    assert not [address for address in ada.guard.requests if "tracker" in address or address.endswith("/x")]


async def test_a_file_name_is_only_a_name(visit: Visit, leaf: Product) -> None:
    """In steps, in the answer, in the panel. # 000-35 000-56"""
    ada = await visit("ada")
    file_id = sample_drive.id_of("ada:/Meetings/Management meeting 2026-03-23", "doc")
    _rename(leaf, file_id, HOSTILE_NAME)
    try:
        chat = await ada.new_chat()
        await chat.ask(f"What was decided at the management meeting? {questions.folder(leaf, 'ada:/Meetings')}")
        await chat.finished()
    finally:
        _rename(leaf, file_id, "Management meeting 2026-03-23")
    rows = await questions.stored(leaf, chat.id)
    if HOSTILE_NAME not in str(rows[-1]["parts"]).replace("\\'", "'"):
        pytest.fail("the question did not lead to the file")
    for group in await chat.answer.locator("details.steps").all():
        await group.locator("summary").first.click()
    for step in await chat.answer.locator("details.step").all():
        if not await step.evaluate("(one) => one.open"):
            await step.locator("summary").click()
        await expect(step.locator('pre[aria-label="Output"]')).to_be_visible()
    await chat.choose("Sources")
    await expect(chat.page.get_by_role("complementary")).to_be_visible()
    assert await chat.page.get_by_role("complementary").evaluate(HARMLESS) == []
    await _assert_harmless(chat)


TOO_MUCH = {"quotes": ">" * 3000 + " deep", "lists": "- " * 2000 + "deep", "stars": "**" * 10_000 + "x" + "**" * 10_000}


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
async def test_what_is_too_much_to_draw_stays_as_it_was_written(visit: Visit, leaf: Product, text: str) -> None:
    """A model that repeats one sign does not take the chat with it, now or when it is opened again. # 000-35"""
    ada = await visit("ada")
    ada.guard.allow("RangeError")
    chat = await ada.new_chat()
    questions.answer_with(leaf, f"Before.\n\n{text}")
    await chat.ask("How deep?")
    for again in (False, True):
        if again:
            await chat.page.reload()
        await chat.finished()
        await expect(chat.answer.get_by_text("Before.")).to_be_visible()
        await expect(chat.answer.locator(".md p").last).to_have_text(text)
        await expect(chat.box).to_be_visible()


DEPTH = """(one) => {
    let [depth, lists] = [0, one.querySelectorAll(':scope > ul > li')];
    for (; lists.length; depth += 1) {
        lists = [...lists].flatMap((item) => [...item.querySelectorAll(':scope > ul > li')]);
    }
    return depth;
}"""


async def test_lists_are_drawn_as_deep_as_they_can_be_read(visit: Visit, leaf: Product) -> None:
    """Deeper items stand in the deepest list; no word of them is lost. # 000-35"""
    deep = [f"{'  ' * level}- item {level}." for level in range(300)]
    chat = await (await visit("ada")).new_chat()
    questions.answer_with(leaf, "\n".join([*deep, "- back"]))
    await chat.ask("How deep?")
    for again in (False, True):
        if again:
            await chat.page.reload()
        await chat.finished()
        await expect(chat.answer.locator(".md li")).to_have_count(301)
        await expect(chat.answer.locator(".md li").nth(299)).to_have_text("item 299.")
        await expect(chat.answer.locator(".md > ul > li").last).to_have_text("back")
        assert await chat.answer.locator(".md").evaluate(DEPTH) == 24


@pytest.mark.usefixtures("unhurried")
async def test_a_question_and_a_title_are_only_text(visit: Visit) -> None:
    """# 000-35"""
    chat = await (await visit("ada")).new_chat()
    question = '<img src=x onerror="window.leafHacked=true"> **bold** <script>window.leafHacked=true</script>'
    await chat.ask(question)
    await expect(chat.questions.locator(".bubble")).to_have_text(question)
    await expect(chat.page.get_by_role("heading", level=1)).to_contain_text("<img src=x")
    await chat.stop_button.click()
    await chat.finished("stopped")
    assert await chat.page.locator("body").evaluate("(body) => body.querySelectorAll('img[src=\"x\"]').length") == 0
    assert await chat.page.evaluate("window.leafHacked === undefined")


def _rename(leaf: Product, file_id: str, name: str) -> None:
    address = f"{leaf.sandbox_url}/sandbox/files/{file_id}"
    httpx.post(address, json={"name": name}, trust_env=False).raise_for_status()


FORMULAS = r"""
\(\href{javascript:window.leafHacked=true}{click}\) and $$\includegraphics{https://tracker.example/x}$$ and
$$\htmlStyle{position:fixed}{x} \url{javascript:window.leafHacked=true}$$ and \(\def\a{\a\a}\a\) and
\(<img src=x onerror="window.leafHacked=true">\) and $$\text{</span><script>window.leafHacked=true</script>}$$
"""
DIAGRAMS = (
    """%%{init: {"securityLevel": "loose", "theme": "base", "flowchart": {"htmlLabels": true}}}%%
flowchart LR
  A["say #quot;hi#quot; <b>bold</b> #lt;img src=x onerror#61;window.leafHacked#61;true#gt;"] --> B
  click A "https://tracker.example/click"
  click B call alert()
""",
    'flowchart LR\n  A["<img src=x onerror=window.leafHacked=true>"] --> B["<svg/onload=alert(1)>"]\n',
    '---\nconfig:\n  securityLevel: loose\n---\nflowchart LR\n  A --> B\n  click A href "javascript:alert(1)"\n',
    "flowchart LR\n  A --> B\n  style A fill:url(https://tracker.example/x)\n",
    "flowchart LR\n  A --> B\n  classDef x fill:#fff;}</style><script>window.leafHacked=true</script>\n  class A x\n",
    'sequenceDiagram\n  A->>B: <iframe src=javascript:window.leafHacked=1>\n  links A: {"x": "javascript:alert(1)"}\n',
    "flowchart LR\n" + "".join(f"  n{number} --> n{number + 1}\n" for number in range(3000)),
    "this is no diagram at all {{{{ [[[\n",
)
SETTLED = """() => [...document.querySelectorAll('.diagram img')].every((one) => one.complete)"""


async def test_formulas_and_diagrams_do_no_harm(visit: Visit, leaf: Product) -> None:
    """No link, no script, no request; a diagram is a picture that runs nothing, or stays its code. # 000-35"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    huge = "$$" + "{" * 3000 + "x" + "}" * 3000 + "$$\n\n$$" + "x^" * 6000 + "$$"
    diagrams = "\n".join(f"~~~mermaid\n{one}~~~\n" for one in DIAGRAMS)
    questions.answer_with(leaf, f"{FORMULAS}\n\n{huge}\n\n{diagrams}\n\nThe end of the hostile answer.")
    await chat.ask("Show me everything")
    await chat.finished()
    await expect(chat.answer).to_contain_text("The end of the hostile answer.")
    # The harmless parts of the first two are drawn: whatever has been refused before them is settled then.
    await expect(chat.answer.locator(".diagram img").first).to_be_visible(timeout=30_000)
    await expect(chat.answer.locator(".formula .katex").first).to_be_visible()
    await expect(chat.answer.locator(".md-code").last).to_contain_text("this is no diagram at all")
    await chat.page.wait_for_function(SETTLED)
    for picture in await chat.answer.locator(".diagram img").all():
        address = await picture.get_attribute("src") or ""
        assert address.startswith("data:image/svg+xml"), address[:80]
        drawn = unquote(address).lower()
        for harm in ("<script", "javascript:", "foreignobject", "onload", "tracker.example", "<iframe", "<a "):
            assert harm not in drawn.replace("&lt;", ""), harm
    # A node that was a link stays where it was drawn.
    first = unquote(await chat.answer.locator(".diagram img").first.get_attribute("src") or "")
    assert re.search(r'<g [^>]*transform="translate\([^"]+\)"[^>]*><g class="node default clickable"', first), first
    # What the library leaves behind while it measures does not stay.
    assert await chat.page.locator("body > [id^=ddiagram], body > iframe").count() == 0
    pictures = await chat.answer.evaluate(f"(root) => ({HARMLESS})(root)")
    assert [one for one in pictures if "data:image/svg+xml" not in one] == []
    assert await chat.page.evaluate("window.leafHacked === undefined")
    assert not [address for address in ada.guard.requests if "tracker" in address or address.endswith("/x")]


async def test_a_diagram_of_more_than_can_be_read_stays_its_code(visit: Visit, leaf: Product) -> None:
    """Drawing it would hold the page up for seconds. # 000-35"""
    chat = await (await visit("ada")).new_chat()
    nodes = "flowchart LR\n" + "".join(f"  n{number}\n" for number in range(600))
    questions.answer_with(leaf, f"~~~mermaid\n{nodes}~~~\n\n~~~mermaid\nflowchart LR\n  A --> B\n~~~\n")
    await chat.ask("Draw it")
    await chat.finished()
    # Diagrams are drawn one after the other.
    await expect(chat.answer.locator(".diagram img")).to_have_count(1)
    await expect(chat.answer.locator(".md-code").first).to_contain_text("n599")
    await expect(chat.answer.locator(".diagram .md-code")).to_contain_text("A --> B")


@pytest.mark.usefixtures("leaf")
async def test_a_name_of_thousands_of_characters_leaves_room_for_what_is_said_of_it(visit: Visit) -> None:
    """On the card of a number and in the panel of sources, at 360 pixels. # 000-35"""
    name = "A very long name " * 235
    quote = {
        "n": 1, "verified": True, "reason": None, "kind": "web", "file_id": "", "revision": "", "name": name,
        "url": "https://orchard.example/", "part": "", "quote": "Apples are ripe.", "before": "", "after": "",
        "at": [[0, 12, 13]],
    }  # fmt: skip
    ada = await visit("ada", viewport={"width": 360, "height": 860})
    text = {"type": "text", "text": "They are ripe.", "state": "done"}
    told = await ada.told("When?", [text, {"type": "data-citations", "id": "citations", "data": [quote]}])
    chat = await ada.chat(told)
    await chat.answer.locator("button.cite-chip").focus()
    await expect(chat.page.locator(".cite-card .cited-status")).to_be_in_viewport(ratio=1)
    await chat.page.keyboard.press("Escape")
    panel = await chat.open_sources()
    await expect(panel.locator(".cited-status").first).to_be_in_viewport(ratio=1)
