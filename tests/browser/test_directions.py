"""Scripts that run the other way, letters with towers of marks, and words without an end."""

import re

from playwright.async_api import Locator, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Visit

HEBREW = "מתי מסתיים חוזה השכירות של Riverbend?"
ARABIC = "ينتهي عقد الإيجار في 2027."
TURNED = "The lease \u202efdp.exe\u2066 of Riverbend"
TOWER = (
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d" * 12
)
ENDLESS = "a" * 600
ANSWER = f"""{ARABIC}

- {HEBREW}
- Another item.

The rent is due monthly.

> {HEBREW}

| שם | Rent |
| --- | --- |
| {ARABIC} | 12 |

```py
print("{HEBREW}")
```

{TOWER} {ENDLESS}
"""
WIDE = """() => [document.documentElement, document.querySelector('.thread')]
    .some((one) => one.scrollWidth > innerWidth)"""
FIRST_LETTER = """(one) => {
    const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 1);
    const [letter, box] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
    return letter.left - box.left > box.right - letter.right ? 'right' : 'left';
}"""


async def begins(element: Locator) -> str:
    """At which side of its element a text begins."""
    return await element.evaluate(FIRST_LETTER)


async def test_each_text_runs_in_the_direction_of_its_script(visit: Visit, leaf: Product) -> None:
    """Questions, answers, titles, and what is being typed; nothing makes the page wider, on a phone neither.
    # 000-35, 002-42
    """
    chat = await (await visit("ada")).new_chat()
    questions.answer_with(leaf, ANSWER)
    await chat.box.fill(HEBREW)
    await chat.box.press("Enter")
    await chat.finished()
    await expect(chat.page.get_by_role("heading", level=1)).to_contain_text("מתי")
    for text in (TURNED, TOWER, ENDLESS):
        questions.answer_with(leaf, f"# {text}\n\nAnd **{text}** it is.")
        await chat.ask(text)
        await chat.finished()
    question, answer = chat.questions.first, chat.answers.first.locator(".md")
    for width in (1280, 360):
        await chat.page.set_viewport_size({"width": width, "height": 780})
        assert await begins(question.locator(".bubble")) == "right"
        assert await begins(answer.locator("p", has_text="2027").first) == "right"
        assert await begins(answer.locator("blockquote p")) == "right"
        assert await begins(answer.locator("p", has_text="The rent is due")) == "left"
        assert await begins(answer.locator("td").first) == "right"
        assert await begins(answer.locator("pre code")) == "left"
        marker = "(one) => getComputedStyle(one).direction"
        assert await answer.locator("li").first.evaluate(marker) == "rtl"
        assert not await chat.page.evaluate(WIDE)
        for asked in await chat.questions.all():
            # What is drawn of one message does not cover the next.
            assert await asked.evaluate("(one) => one.scrollWidth <= one.clientWidth + 1")


async def test_a_title_turns_nothing_around_it(visit: Visit, leaf: Product) -> None:
    """# 000-35"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    questions.answer_with(leaf, "Yes.")
    await chat.ask(TURNED)
    await chat.finished()
    name = chat.page.locator(f'nav#sidebar a[href^="{chat.path}"] .chat-name')
    await expect(name).to_contain_text("Riverbend")
    assert await begins(name) == "left"
    isolating = "(one) => ['plaintext', 'isolate'].includes(getComputedStyle(one).unicodeBidi)"
    assert await name.evaluate(isolating)
    assert await chat.page.get_by_role("heading", level=1).evaluate(isolating)
    page = chat.page
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Search chats and commands").fill("Riverbend")
    option = page.locator(".palette-body").first
    await expect(option).to_contain_text("Riverbend")
    # Results of the server take the place of the browser's own, each with elements of its own.
    await expect(option).to_have_css("unicode-bidi", re.compile("plaintext|isolate"))
