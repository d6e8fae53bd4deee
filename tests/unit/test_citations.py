"""Quotes in answers: how they are marked, matched and shown."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf import citations
from leaf.citations import Call, Library, Passage, Text, blanks, markers, verification
from leaf.citations.quote_search import OutOfTime
from leaf.citations.verification import EXCERPT

URL = "https://docs.google.com/document/d/1abcdefghijklmnop/edit"
WORDS = st.sampled_from(
    ["the", "supplier", "delivers", "48,000", "trays", "1.5", "percent", "of", "Straße", "naïve", "don't", "-5", "2026",
     "co-operative", "EUR", "€", "a", "notice", "Q3", "年度", "prix", "«été»", "(draft)", "e.g."]
)  # fmt: skip
DOCUMENTS = st.lists(WORDS, min_size=12, max_size=60)
SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", " \n "])
QUOTES = {"'": ["'", "’"], '"': ['"', "“", "”"], "-": ["-", "‐", "‑"]}


def _text(*pages: str) -> Text:
    return Text([Passage(f"page {number}", page) for number, page in enumerate(pages, 1)])


@st.composite
def quoted(draw: st.DrawFn) -> tuple[list[str], int, int]:
    words = draw(DOCUMENTS)
    start = draw(st.integers(0, len(words) - 6))
    return words, start, draw(st.integers(start + 6, len(words)))


@given(quoted(), st.data())
@settings(deadline=None)
def test_any_verbatim_piece_is_found_however_it_is_spaced_and_capitalised(
    chosen: tuple[list[str], int, int], data: st.DataObject
) -> None:
    """# 000-37"""
    words, start, end = chosen
    text = "".join(word + data.draw(SPACES) for word in words)
    quote = "".join(word + data.draw(SPACES) for word in words[start:end])
    for sign, others in QUOTES.items():
        quote = quote.replace(sign, data.draw(st.sampled_from(others))) if sign != "-" or "-5" not in quote else quote
    quote = data.draw(st.sampled_from([quote, quote.upper(), f"“{quote}”", f"… {quote} …"]))
    assert not citations.long_enough(quote) or _text(text).find(quote) is not None


@given(quoted(), st.data())
@settings(deadline=None)
def test_a_piece_with_a_word_changed_is_not_found(chosen: tuple[list[str], int, int], data: st.DataObject) -> None:
    """# 000-37"""
    words, start, end = chosen
    at = data.draw(st.integers(start, end - 1))
    changed = data.draw(st.sampled_from(["never", "48,001", "5", "percentage", "x"]))
    quote = " ".join([*words[start:at], changed, *words[at + 1 : end]])
    assert _text(" ".join(words)).find(quote) is None


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("a docu-\nment that is long", "document that is long", True),
        ("a well-\nknown price of trays", "a well-known price of trays", True),
        ("pre- and post-war; a well-\nbeing fund", "post-war; a well being fund", True),
        ("grew by 1.5 percent in May", "grew by 15 percent in May", False),
        ("grew by -5 percent in May", "grew by 5 percent in May", False),
        ("it costs EUR 48,000 in all", "it costs EUR 48000 in all", True),
        ("it costs € 48,000 in all", "it costs $ 48,000 in all", False),
        ("Marketing,200,300\nSales,1,2", "Marketing, 200, 300", True),
        ("| Marketing | 41 000 |\n| Sales and more | 2 |", "Marketing 41 000 Sales and", True),
        ("see [the plan](https://a.example/b) of **May** 2026", "see the plan of May 2026", True),
        ("therapists like it very much", "the rapists like it very much", False),
        ("ein Vertrag über 3 Jahre ab März", "Ein Vertrag u\u0308ber 3 Jahre", True),
        ("第一条 本契約は二〇二六年に始まる。", "本契約は二〇二六年に始まる", True),
        ("मेरे पास दिन का समय बहुत कम है", "मेरे पास दिन का समय बहुत कम है", True),
        ("मेरे पास दिन का समय बहुत कम है", "मेरे पास दान का समय बहुत कम है", False),
        ("আজকের কাজ শেষ হয়েছে সকালে", "আজকের কোজ শেষ হয়েছে সকালে", False),
        ("வரவு செலவு கணக்கு இந்த ஆண்டு", "வரவ சலவ கணக்க இந்த ஆண்ட", False),
        ("งบประมาณของโครงการคือห้าแสนบาทต่อปี", "โครงการคือห้าแสนบาท", True),
        ("รายงานฉบับนี้ไม่มีข้อผิดพลาด", "รายงานฉบับนี้ไมมีข้อผิดพลาด", False),
        ("كَتَبَ المُحَاسِبُ تَقْرِيرًا سَنَوِيًّا", "كتب المحاسب تقريرا سنويا", True),
        ("הַמְּחִיר הַסּוֹפִי הוּא חֲמִשִּׁים", "המחיר הסופי הוא חמשים", True),
        ("a budget of ₹500 a year", "a budget of €500 a year", False),
        ("a budget of 500 crore a year", "a budget of ₹500 crore a year", False),
        ("a mass of 10⁶ particles here", "a mass of 106 particles here", False),
        ("an office of 25 m² in Leeds", "an office of 25 m2 in Leeds", True),
        ("> the rent is due on\n> the third of the month", "the rent is due on the third of the month", True),
        ("the mass of a part is\n> 5 kg in all", "the mass of a part is 5 kg in all", False),
    ],
)
def test_what_counts_as_the_same(text: str, quote: str, found: bool) -> None:
    assert (_text(text).find(quote) is not None) is found


def test_what_is_left_out_stands_between_pieces_in_order_and_near() -> None:
    text = _text("The supplier delivers trays of fibre. " + "It goes on. " * 20 + "The customer pays within a week.")
    far = _text("The supplier delivers trays of fibre. " + "It goes on. " * 400 + "The customer pays within a week.")
    quote = "supplier delivers trays … customer pays within"
    assert text.find(quote) is not None
    assert far.find(quote) is None
    assert text.find("customer pays within … supplier delivers trays") is None
    assert text.find("supplier delivers trays … pays") is None, "one word behind it shows nothing"


def test_a_quote_goes_on_below_the_running_lines_of_a_page() -> None:
    """# 000-37"""
    head, sentence = "Annual report of 2025\nof the cooperative\n", "a second hall will be ready before the harvest"
    text = _text(f"{head}The board wants it:\na second hall will be\n1", f"{head}ready before the harvest\nof 2027.\n2")
    match = text.find(sentence)
    assert match is not None
    assert (match.part, match.quote) == ("pages 1-2", sentence)
    assert [number for number, *_ in text.stretches(sentence)] == [0, 1]
    assert text.find("of the cooperative ready before the harvest") is not None
    other = _text(
        "The board wants it:\na second hall will be\nnever", "At all times\nready before the harvest\nof 2027."
    )
    assert other.find(sentence) is None


def test_too_short_a_quote_shows_nothing() -> None:
    assert not citations.long_enough("the trays")
    assert not citations.long_enough("a b c d")
    assert citations.long_enough("预算为五十万元")
    assert not citations.long_enough("五十万元")
    assert _text("the trays are here").find("the trays") is None


def test_the_words_beside_a_quote_are_those_of_the_file() -> None:
    """Without Markdown's signs, Leaf's own lines with places, and halves of words. # 000-37"""
    rent = "Three monthly rents were paid."
    match = _text(f"[section Heat]\n## Heat\nIt holds 0.5.\n\n[section Deposit]\n## Deposit\n{rent}").find(rent)
    assert match is not None
    assert (match.before, match.after) == ("Heat It holds 0.5. Deposit", "")
    table = "folder | what is there |\n|---|---|\n| Money | The **new** budget |\n| Contracts | Leases of all halls |\n"
    match = _text(f"{'w' * 20} " * 6 + f"{table}| People | Handbook |\n{'word ' * 40}").find("Leases of all halls")
    assert match is not None
    assert match.before.endswith("w folder | what is there | Money | The new budget | Contracts")
    assert match.before.split()[0] == "w" * 20
    assert match.after.startswith(" People | Handbook | word word")
    assert match.after.endswith(" word")
    match = _text("中文" * 100 + "。预算为五十万元。" + "中文" * 100).find("预算为五十万元")
    assert match is not None
    assert len(match.before) == len(match.after.strip()) == 160, "a script that parts no words"


def test_the_place_is_where_the_quote_stands() -> None:
    """# 000-37"""
    text = _text("Nothing of it. ", "Before it. The words are here. After it.", "And on page three it goes")
    match = text.find("the words are here")
    assert match is not None
    assert (match.part, match.before, match.after) == ("page 2", "Before it.", " After it.")
    assert match.quote == "The words are here."
    across = text.find("here. After it. And on page three")
    assert across is not None
    assert across.part == "pages 2-3"
    lines = Text([Passage("lines 401-800", "one\ntwo\nthese are the words\n")])
    found = lines.find("these are the words")
    assert found is not None
    assert found.part == "line 403"
    written = Text([Passage("all", "It is **“Plan A”**, [signed](https://x.example) by \\[Mia\\]\nin May, and kept.")])
    found = written.find("it is plan a signed BY … May and kept")
    assert found is not None
    assert (found.quote, found.after) == ("It is “Plan A”, signed by … May, and kept.", "")
    whole = Text([Passage("all", "# Goals\n\none two\n\n## **Money**\n\nthese are the words\n")])
    found = whole.find("these are the words")
    assert found is not None
    assert found.part == "section Money"


def test_looking_ends_at_its_deadline() -> None:
    with pytest.raises(OutOfTime):
        Text([Passage("all", "some text")], time.monotonic() - 1).find("these are some words")


ANSWER = f"""It costs **48,000**.[^1] It ends in May.[^b] Again.[^1] `[^9]` is code.

```
[^5]: not a footnote
```

[^1]: "The price is “48,000” in all" — [Plan \\[2026\\].md]({URL}), section Money
[^b]: “ends … in May” — notes/plan.md, lines 3-4
  and more of it
[^c]: nothing is quoted here
"""


def test_footnotes_are_read_as_they_are_written() -> None:
    found = markers.references(ANSWER)
    assert [label for label, _ in found.marks] == ["1", "b", "1"]
    first, second, third = found.definitions.values()
    assert (first.quote, first.target) == ("The price is “48,000” in all", URL)
    assert (first.name, first.part) == ("Plan [2026].md", "section Money")
    assert (second.quote, second.target, second.part) == ("ends … in May", "notes/plan.md", "lines 3-4")
    assert third.quote == ""


@pytest.mark.parametrize(
    "quoted",
    [
        "「{}」", "『{}』", "‚{}‘", "‘{}’", "‹{}›", "›{}‹", "'{}'", "＂{}＂", "»{}«",
    ],
)  # fmt: skip
def test_a_footnote_may_have_the_quotation_marks_of_any_language(quoted: str) -> None:
    """# 000-37"""
    words = "it isn’t Ada’s price"
    for note in (
        f"{quoted.format(words)} — [Ada's plan]({URL}), page 3",
        f"[Ada's plan]({URL}): {quoted.format(words)}",
    ):
        (found,) = markers.references(f"A claim.[^1]\n\n[^1]: {note}\n").definitions.values()
        assert (found.quote, found.target) == (words, URL), note


def test_an_apostrophe_is_no_quotation_mark() -> None:
    (found,) = markers.references(f"A claim.[^1]\n\n[^1]: Ada's plan says it's so: [P]({URL})\n").definitions.values()
    assert found.quote == ""


def test_definitions_are_not_shown_and_code_is() -> None:
    shown = citations.shown(ANSWER)
    assert "Plan" not in shown
    assert "and more of it" not in shown
    assert "[^5]: not a footnote" in shown
    assert shown.startswith("It costs **48,000**.[^1]")


@given(st.text(alphabet=st.sampled_from("ab[^1]: \n`>x“”"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_what_is_shown_of_a_growing_text_only_grows(text: str) -> None:
    """Nothing flickers: what was shown once stays, blanks at its end aside. # 000-46"""
    shown = [citations.shown(text[:length], growing=True) for length in range(len(text) + 1)]
    for before, after in pairwise([*shown, citations.shown(text)]):
        assert after.startswith(before.rstrip()) or "`" in text


def test_a_growing_text_never_shows_a_definition() -> None:
    for length in range(len(ANSWER)):
        shown = citations.shown(ANSWER[:length], growing=True)
        assert "Plan" not in shown
        assert "notes/plan" not in shown
        assert not shown.endswith(("[^", "[^1", "[^b"))


def test_quotations_that_name_their_source_are_references() -> None:
    """# 000-37"""
    text = (
        f"[Plan]({URL}), page 3, says: “these are the very words”\n\n"
        f"> - the first of two lines\n> - the second of them\n\n— [Plan]({URL}), section Goals\n\n"
        f"This is how [Plan]({URL}) begins:\n\n> In the beginning was it.\n\n"
        f"“Quoted from nobody at all”, and I read [Plan]({URL}) for “what the user asked for”.\n\n"
        f"> Marked already.[^1]\n\n— [Plan]({URL})\n\n[^1]: “Marked already, it is” — [Plan]({URL})"
    )
    found = markers.references(text).unmarked
    assert [(one.quote, one.part) for one, _ in found] == [
        ("the first of two lines … the second of them", "section Goals"),
        ("In the beginning was it.", ""),
        ("these are the very words", "page 3"),
        ("Quoted from nobody at all", ""),
    ]
    assert all(one.target == URL for one, _ in found)
    assert text[: found[0][1][0]].endswith("section Goals")


def _read(content: str, part: str = "all", **file: str) -> Call:
    about = {"id": "1abcdefghijklmnop", "name": "Plan", "url": URL, "revision": "v1", **file}
    return Call("read_drive_file", {"file": about, "part": part, "content": content})


def _checked(answer: str, *calls: Call) -> list[citations.Citation]:
    library = Library.of(calls)
    texts: dict[tuple[str, str], list[Text]] = {
        (kind, key): [Text(one) for one in material.texts] for (kind, key), material in library.read.items()
    }
    texts |= {(EXCERPT, one.id): [Text(text) for text in one.texts] for one in library.excerpts.values()}
    return citations.check(markers.numbered({0: citations.references(answer)}), library, texts)


def test_only_what_was_read_is_a_source() -> None:
    """Files that were only listed, and addresses that nobody has read, are unverified. # 000-37"""
    other = "https://docs.google.com/document/d/1otherotherother/edit"
    listed = Call("search_drive", {"files": [{"id": "1otherotherother", "name": "Other", "url": other}]})
    answer = (
        "A[^1] b[^2] c[^3] d[^4] e[^5] f[^6]\n\n"
        f"[^1]: “these are the words” — [Plan]({URL}?usp=sharing#heading=h.1), page 9\n"
        f"[^2]: “these are the words” — [Other]({other})\n"
        f"[^3]: “these are other words” — [Plan]({URL})\n"
        "[^4]: “these are the words” — plan\n"
        "[^5]: “these are the words”\n"
    )
    found = _checked(answer, _read("[page 1]\nnothing\n[page 2]\nthese are the words\n", "pages 1-2"), listed)
    assert [(one.n, one.verified, one.reason, one.part) for one in found] == [
        (1, True, "", "page 2"),
        (2, False, "not_read", ""),
        (3, False, "not_found", ""),
        (4, True, "", "page 2"),
        (5, True, "", "page 2"),
        (6, False, "broken_off", ""),
    ]
    assert (found[1].source.name, found[1].source.url) == ("Other", other)
    assert found[4].source.file_id == "1abcdefghijklmnop"


CUT = (
    "The words.[^1] The others.[^2]\n\n> these are the words\n\n[Plan]({URL})\n\n"
    "“these are the words” says [Plan]({URL}).\n\nSee {URL} too.\n\n"
    "[^1]: “these are the words” — [Plan]({URL}), page 2\n[^2]: “other words are here” — [Plan]({URL})\n"
).replace("{URL}", URL)


def test_an_answer_that_is_stopped_anywhere_has_no_unverified_quote() -> None:
    """# 000-37"""
    read = Library.of([_read("[page 1]\nother words are here\n[page 2]\nthese are the words\n", "pages 1-2")])
    texts: dict[tuple[str, str], list[Text]] = {
        (kind, key): [Text(one) for one in material.texts] for (kind, key), material in read.read.items()
    }
    for end in range(len(CUT) + 1):
        found = markers.numbered({3: citations.references(CUT[:end], is_cut=True)}, whole=False)
        invented = {one.target for one, _ in found if one.target != URL}
        data = [one.data() for one in citations.check(found, read, texts, citations.Doubts(invented))]
        shown = citations.stored([{"type": citations.CITATIONS, "data": data}])
        assert all(one["verified"] for one in shown), CUT[:end]


def test_a_wrong_quote_of_a_stopped_answer_is_unverified() -> None:
    """# 000-37"""
    answer = f"A[^1] b[^2] c[^3]\n\n[^1]: “these are not the words” — [Plan]({URL})\n[^2]: “these are"
    found = markers.numbered({0: citations.references(answer, is_cut=True)}, whole=False)
    library = Library.of([_read("[page 1]\nsomething else\n", "page 1")])
    texts = {(kind, key): [Text(text) for text in one.texts] for (kind, key), one in library.read.items()}
    assert [one.reason for one in citations.check(found, library, texts)] == ["not_found", "cut_off", "cut_off"]


FILE = "1abcdefghijklmnop"


@pytest.mark.parametrize(
    "address",
    [
        f"https://evil.example/file/d/{FILE}/view",
        f"https://drive.google.com.evil.example/file/d/{FILE}/view",
        f"https://drive.google.com@evil.example/file/d/{FILE}/view",
        f"https://evil.example/\\@drive.google.com/file/d/{FILE}/view",
        f"https://evil.example\\@drive.google.com/file/d/{FILE}/view",
        f"https://drive.google.com:8443/file/d/{FILE}/view",
        f"http://drive.google.com/file/d/{FILE}/view",
        f"https://www.google.com/url?q=https://drive.google.com/file/d/{FILE}",
        f"https://evil.example/open?id={FILE}",
        f"//evil.example/file/d/{FILE}/view",
        f"/\\evil.example/file/d/{FILE}/view",
        f"https:evil.example/file/d/{FILE}/view",
        f"https&#58;//evil.example/file/d/{FILE}/view",
        "//evil.example",
        "https:/evil.example",
        "//notes.md",
        "https://[evil/",
    ],
)
def test_a_link_to_another_site_is_no_source(address: str) -> None:
    """A reader who follows it would expect to see the quote. # 000-37"""
    notes = Call("read_file", {"path": "notes.md", "text": "these are the words"})
    for answer in (
        f"A[^1]\n\n[^1]: “these are the words” — [Plan]({address})",
        f"“these are the words” ([Plan]({address}))",
    ):
        (one,) = _checked(answer, _read("these are the words"), notes)
        assert (one.verified, one.reason, one.source.file_id) == (False, "not_read", "")


@pytest.mark.parametrize(
    "address",
    [
        f"https://drive.google.com/file/d/{FILE}/view?usp=drive_link",
        f"https://docs.google.com/a/firm.example/document/d/{FILE}/edit#heading=h.1",
        f"https://drive.google.com/open?id={FILE}",
        f"http://127.0.0.1:9999/file/d/{FILE}/preview",
        FILE,
        "Plan",
    ],
)
def test_a_link_to_drives_own_pages_is_a_source(address: str) -> None:
    """The sandbox's pages are at the address that it states. # 000-37"""
    read = _read("these are the words", url=f"http://127.0.0.1:9999/file/d/{FILE}/view")
    (one,) = _checked(f"A[^1]\n\n[^1]: “these are the words” — [Plan]({address})", read)
    assert (one.verified, one.source.file_id) == (True, FILE)


def test_nothing_is_found_across_what_was_left_out() -> None:
    answer = f"A[^1]\n\n[^1]: “the end of one the beginning of another” — [Plan]({URL})"
    (one,) = _checked(answer, _read("the end of one\n[…]\nthe beginning of another"))
    assert not one.verified


def test_a_citation_of_a_web_page_opens_at_its_words() -> None:
    page = Call("fetch", {"url": "https://a.example/x", "title": "X", "content": "these well-known words are here"})
    (one,) = _checked("A[^1]\n\n[^1]: “well-known words are here” — [X](https://a.example/x/)", page)
    assert one.verified
    assert one.source.url == "https://a.example/x#:~:text=well%2Dknown%20words%20are%20here"


def test_a_long_quote_is_kept_to_its_end() -> None:
    """It is followed as it is kept: what changes in its middle changes the quote."""
    quote = " ".join(f"Clause {number} obliges tenant {number} to sweep yard {number}." for number in range(120))
    (one,) = _checked(f"So it is.[^1]\n\n[^1]: “{quote}” — [Plan]({URL})\n", _read(quote))
    assert one.verified
    assert one.quote == quote


def test_words_of_a_search_engine_are_not_those_of_a_page() -> None:
    """# 000-37"""
    results = [
        {"url": "https://a.example/x", "title": "X", "snippet": "these words are in the excerpt"},
        {"url": "https://b.example", "title": "B", "snippet": "other words are in this one"},
    ]
    page = Call("fetch", {"url": "https://a.example/x", "title": "X", "content": "these words are on the page"})
    answer = (
        "A[^1] b[^2] c[^3] d[^4] e[^5]\n\n"
        "[^1]: “these words are in the excerpt” — [X](https://a.example/x)\n"
        "[^2]: “other words are in this one”\n"
        "[^3]: “other words are in this one” — B\n"
        "[^4]: “these words are nowhere at all” — [B](https://b.example)\n"
        "[^5]: “these words are on the page” — [X](https://a.example/x)\n"
    )
    found = _checked(answer, Call("search", {"results": results}))
    assert [(one.verified, one.reason) for one in found] == [
        (False, "snippet"), (False, "snippet"), (False, "snippet"), (False, "not_read"), (False, "not_read"),
    ]  # fmt: skip
    assert found[0].source.url.startswith("https://a.example/x")
    assert found[0].source.name == "X"
    read = _checked(answer, Call("search", {"results": results}), page)
    assert [(one.verified, one.reason) for one in read][0::4] == [(False, "snippet"), (True, "")]


def test_fifty_citations_of_a_long_document_take_little_time() -> None:
    """400 pages, of which each is looked through once."""
    pages = [f"On page {number} " + " ".join(f"word{number}x{at}" for at in range(420)) for number in range(400)]
    text = _text(*pages)
    begin = time.process_time()
    for number in range(0, 400, 8):
        match = text.find(f"word{number}x5 word{number}x6 … word{number}x100 word{number}x101 word{number}x102")
        assert match is None or match.part == f"page {number + 1}"
        match = text.find(f"word{number}x5 word{number}x6 word{number}x7")
        assert match is not None
        assert match.part == f"page {number + 1}"
    assert time.process_time() - begin < 30


def test_a_label_that_is_used_again_for_something_else_keeps_both() -> None:
    """Nothing that an answer quotes is left unchecked because an earlier footnote has its label. # 000-37"""
    read = _read("these are the words of a plan and others follow here")
    answer = (
        f"A.[^1]\n\n[^1]: “these are the words” — [Plan]({URL})\n"
        f"\nB.[^1]\n\n[^1]: “nobody wrote these” — [Plan]({URL})\n"
        f"\nC.[^1]\n[^1]: “others follow here” — [Plan]({URL})\n[^1]: “others follow here” — [Plan]({URL})\n"
    )
    found = _checked(answer, read)
    assert [(one.verified, one.quote) for one in found] == [
        (True, "these are the words"), (False, "nobody wrote these"), (True, "others follow here"),
    ]  # fmt: skip
    assert [answer[begin - 2 : end] for one in found for _, begin, end in one.at] == ["A.[^1]", "B.[^1]", "C.[^1]"]


def test_footnotes_in_code_are_none() -> None:
    code = "`a[^1]` and `b\n[^2] c`\n\n```\nD[^3]\n[^3]: “x”\n```\n"
    assert citations.references(code) == markers.References({}, [], [], [])
    assert citations.shown(code) == code
    # A mark stays one where a single backtick stands in another item.
    listed = citations.references("- a ` b\n- claim[^1] ` c\n\n[^1]: “x y z”\n")
    assert [label for label, _ in listed.marks] == ["1"]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        (r"5\` long[^1] and 6\` wide[^2]", "12"),
        (r"\\`code[^1]` claim[^2]", "2"),
        (r"\``code[^1]` claim[^2]", "2"),
        (r"`code\` claim[^1] `more[^2]`", "1"),
        ("``a` claim[^1]", "1"),
        ("| a | b |\n|---|---|\n| 5` claim[^1] | 6` wide |", "1"),
        ("a | b\n:-- | --:\n5` claim[^1] | 6` wide\n7` | claim[^2] `", "12"),
        ("> | a` | b[^1]` |\n> |---|---|\n> | `code[^2]` | `x \\| code[^3]` |", "1"),
        ("a `b\n\n| a |\n|--|\n| b` |\n\nclaim[^1] `code[^2]`", "1"),
        ("a `b | c[^1]` | d[^2]", "2"),
        ("|-\n`code[^1]`", ""),
        ("|---|", ""),
    ],
)
def test_code_is_what_the_page_draws_as_code(text: str, marks: str) -> None:
    """A mark that is drawn as a source is checked as one. # 000-37"""
    found = citations.references(f"{text}\n\n[^1]: “x y z” — P\n")
    assert "".join(label for label, _ in found.marks) == marks


@given(st.text(alphabet=st.sampled_from("`\\|-~> \na[^1]:"), max_size=80))
def test_places_stay_where_they_are_without_code(text: str) -> None:
    plain = blanks.without_code(text)
    assert len(plain) == len(text)
    assert all(left in {right, "\x00"} for left, right in zip(plain, text, strict=True))


def test_two_parts_of_an_answer_have_their_own_labels() -> None:
    parts = {slot: citations.references(f"A[^1]\n\n[^1]: “words of part {slot}” — P") for slot in (0, 4)}
    parts[6] = citations.references("Z[^1] y[^7]")
    found = markers.numbered(parts)
    assert [(reference.quote, at) for reference, at in found[:2]] == [
        ("words of part 0", {0: [(1, 5)]}),
        ("words of part 4", {4: [(1, 5)]}),
    ]
    assert not found[-1][0].written


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("the sup\u200bplier deli\u2060vers trays", "the supplier delivers trays"),
        ("the supplier delivers trays", "the sup\u00adplier deli\u200bvers trays"),
        ("the ﬁrst oﬃcer ﬂew\u00a0away", "the first officer flew away"),
        ("İstanbul ofisi açıldı bugün", "istanbul ofisi açıldı bugün"),
        ("the notice period[^3] is long", "the notice period is long"),
        ("the **sup**plier delivers trays", "the supplier delivers trays"),
    ],
)
def test_signs_that_nobody_sees_do_not_count(text: str, quote: str) -> None:
    assert _text(text).find(quote) is not None


def test_ten_thousand_references_take_little_time() -> None:
    notes = "\n".join(f'[^{n}]: "some words that stand here {n}" — [P]({URL}), page 3' for n in range(10_000))
    footnotes = "\n".join(f"A claim.[^{n}]" for n in range(10_000)) + "\n\n" + notes
    sentences = " ".join(f'[P]({URL}) says: "quoted words are here {n}".' for n in range(10_000))
    begin = time.process_time()
    assert len(_checked(footnotes, _read("some words that stand here 7"))) == 10_000
    marks = [(*span, "[^1]") for _, span in citations.references(footnotes).marks]
    citations.shown(footnotes, marks)
    assert len(citations.references(sentences).unmarked) == 10_000
    assert time.process_time() - begin < 30


@pytest.mark.parametrize(
    "text", ["> x\n\n" + "-" * 5000, "[^" * 3000, "“" * 5000, '"[a](b' * 2000, "> " * 5000, "`" * 4000 + " [^1]"]
)
def test_no_text_takes_long(text: str) -> None:
    begin = time.process_time()
    markers.references(text)
    citations.shown(text, growing=True)
    assert time.process_time() - begin < 2


def test_a_reference_has_a_limited_number_of_marks() -> None:
    """An answer that is nothing else would cost every reader of it. # 000-37"""
    text = "[^1] " * 5_000
    (found,) = citations.unchecked(markers.numbered({0: citations.references(text)}))
    assert len(found.at) == verification.MOST_MARKS
