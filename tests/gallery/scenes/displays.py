"""Everything that an answer can show beside text."""

from playwright.async_api import Page, expect

from tests.browser.scripts import CARD, CITATIONS, OPTIONS, PLAN, TABLE
from tests.browser.test_asking import QUESTION
from tests.gallery.scene import Chapter
from tests.gallery.stage import ANSWERED_MS, Stage, says, step

chapter = Chapter("What answers show")

CODE = '''Yields are summed by orchard:

```python
from collections import defaultdict


def by_orchard(rows: list[Harvest]) -> dict[str, float]:
    """The harvest of each orchard, in tonnes."""
    sums: dict[str, float] = defaultdict(float)
    for row in rows:
        sums[row.orchard] += row.kilograms / 1000  # the log is in kilograms, and this line is wide
    return dict(sums)
```

Run `by_orchard(rows)` on what `harvest.csv` holds.
'''
MATHS = """The yield follows a logistic curve, \\(y(t) = \\frac{L}{1 + e^{-k(t - t_0)}}\\), so the sum over a season is

$$\\int_0^{T} y(t)\\,dt = \\frac{L}{k} \\ln\\frac{1 + e^{k(T - t_0)}}{1 + e^{-k t_0}}$$

~~~mermaid
flowchart LR
  A[Read the log] --> B{Complete?}
  B -->|yes| C[Sum by orchard]
  B -->|no| D[Ask]
~~~
"""
MARKDOWN = """| Orchard | Area | Harvest | Share |
| --- | ---: | ---: | ---: |
| Riverbend | 12 ha | 412 t | 48 % |
| Hillside | 7 ha | 268 t | 31 % |
| Mill field | 6 ha | 180 t | 21 % |

### What stands out

1. Riverbend yields most, **for the third year in a row**.
   - Its trees are the youngest.
   - It has water of its own.
2. Hillside lost ~~a tenth~~ a fifth to frost.

> Insurance pays for frost only where nets were closed.

---

More is in the [annual report](https://orchard.example/report).
"""


@chapter.scene("display-table", "A table")
async def _table(stage: Stage) -> Page:
    return (
        await stage.asked(
            "Which apples grow where?",
            step("displayTable", TABLE, "Here they are. "),
            says("Prices are those of 2025."),
            title="Apples",
        )
    ).page


@chapter.scene("display-table-side", "A table at the side")
async def _side(stage: Stage) -> Page:
    chat = await stage.asked(
        "Which apples grow where?",
        step("displayTable", TABLE, "Here they are. "),
        says("Prices are those of 2025."),
        title="Apples",
    )
    await chat.answer.get_by_role("button", name="Open at the side").click()
    await expect(chat.page.get_by_role("complementary", name=str(TABLE["title"]))).to_be_visible()
    return chat.page


@chapter.scene("display-plan", "A plan, sources and a page")
async def _plan(stage: Stage) -> Page:
    return (
        await stage.asked(
            "How do I plant a tree?",
            step("displayPlan", PLAN, "In three steps."),
            step("displayCitations", CITATIONS, "More about it:"),
            step("displayLinkPreview", CARD),
            says("Begin in autumn."),
            title="Planting a tree",
        )
    ).page


@chapter.scene("display-options", "Options to choose from")
async def _options(stage: Stage) -> Page:
    return (
        await stage.asked(
            "How large was the harvest?", step("displayOptionList", OPTIONS), says("I know of two."), title="Harvest"
        )
    ).page


@chapter.scene("display-todos", "The list of what is to be done")
async def _todos(stage: Stage) -> Page:
    todos = [
        {"content": "Find the lease", "status": "completed"},
        {"content": "Read it", "status": "in_progress"},
        {"content": "Write down the notice period", "status": "pending"},
    ]
    ada = await stage.visit()
    chat = await ada.new_chat()
    await chat.choose_mode("Adaptive")
    await stage.go_on(
        chat,
        "Go through all leases.",
        step("todoWrite", {"todos": todos}, "On with it."),
        says("The first is read."),
        title="All leases",
    )
    return chat.page


@chapter.scene("display-question", "Leaf asks a question")
async def _question(stage: Stage) -> Page:
    chat = await stage.asked(
        "When does the lease end?",
        step("askQuestion", QUESTION, "One thing first. "),
        says("Thank you."),
        title="The lease",
    )
    await expect(chat.answer.get_by_role("radio")).to_have_count(2, timeout=ANSWERED_MS)
    return chat.page


@chapter.scene("display-approval", "Leaf confirms with you before it sends data out")
async def _approval(stage: Stage) -> Page:
    chat = await stage.asked(
        "Compare our lease with what is usual.",
        step("search_files", {"queries": ["lease"]}),
        step("search", {"query": "hail"}),
        step("fetch", {"url": "https://unknown.example/?q=" + "salary-" * 20}),
        says("That is all."),
        title="The lease",
    )
    await expect(chat.answer.get_by_role("button", name="Allow", exact=True)).to_be_visible(timeout=ANSWERED_MS)
    return chat.page


@chapter.scene("display-code", "Code")
async def _code(stage: Stage) -> Page:
    chat = await stage.asked("Sum the harvest by orchard.", says(CODE), title="Harvest by orchard")
    await expect(chat.answer.locator(".md-code span").first).to_be_attached()
    return chat.page


async def _drawn_anew(page: Page) -> None:
    """A diagram is drawn in the colours of the theme, once more with each change of it."""
    await page.wait_for_function(
        """() => (document.querySelector('.diagram img')?.src ?? '').includes(
            matchMedia('(prefers-color-scheme: dark)').matches ? '20352a' : 'e2f0e6')"""
    )


@chapter.scene("display-maths", "Formulas and a diagram", _drawn_anew)
async def _maths(stage: Stage) -> Page:
    chat = await stage.asked("Which curve do yields follow?", says(MATHS), title="The curve of yields")
    await expect(chat.answer.locator(".diagram img")).to_be_visible(timeout=ANSWERED_MS)
    await expect(chat.answer.locator(".formula .katex").first).to_be_visible()
    return chat.page


@chapter.scene("display-markdown", "A table, lists, a quotation")
async def _markdown(stage: Stage) -> Page:
    return (await stage.asked("How did the orchards do?", says(MARKDOWN), title="How the orchards did")).page
