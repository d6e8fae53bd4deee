"""Markdown that is nested deeper than it can be read (`leaf.parts.nesting`)."""

from leaf.parts.nesting import flattened


def nested(levels: int, step: str = "  ", between: str = "\n") -> str:
    return between.join(f"{step * level}- item {level}" for level in range(levels))


def indents(text: str) -> list[int]:
    return [len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip()]


def test_what_can_be_read_stays_as_it_is() -> None:
    for text in (
        nested(24),
        f"```yaml\n{nested(60)}\n```",
        "- " * 20 + "deep",
        "> " * 24 + "quoted",
        f"Text\n\n{' ' * 90}code\n",
        "- " * 40,
        f"{'1. ' * 3}one\n\n{'*' * 80}",
    ):
        assert flattened(text) == text


def test_what_is_deeper_stands_in_the_deepest_list_with_all_of_its_words() -> None:
    for given in (nested(300), nested(300, between="\n\n"), nested(300, "    "), nested(200, "\t")):
        found = flattened(given)
        assert [line.strip() for line in found.splitlines()] == [line.strip() for line in given.splitlines()]
        assert max(indents(found)) <= 4 * 23 + 2


def test_code_and_paragraphs_in_it_keep_their_places() -> None:
    inside = "  " * 40
    given = (
        f"{nested(40)}\n{inside}```py\n{inside}def f():\n{inside}    return 1\n{inside}```\n\n{inside}Words.\n- back"
    )
    lines = flattened(given).splitlines()[-8:]
    assert [line[48:] for line in lines[1:5]] == ["```py", "def f():", "    return 1", "```"]
    assert lines[6][48:] == "Words."
    assert lines[7] == "- back"


def test_one_sign_repeated_is_no_list() -> None:
    """It becomes text: each of its levels would be looked for again in every line below it. # 000-35"""
    for text in (">" * 3000 + " deep\na\n", "- " * 2000 + "deep\n> a"):
        assert flattened(text) == f"\\{text}"
    assert flattened("1. " * 2000 + "deep") == "1\\. " + "1. " * 1999 + "deep"
    assert flattened("- " * 30 + "deep") == "- " * 24 + "\\" + "- " * 6 + "deep"
    assert flattened(">" * 30 + " deep") == ">" * 24 + "\\" + ">" * 6 + " deep"


def test_a_text_of_many_lines_is_nested_less_deeply() -> None:
    """Each line is searched once for each level, also one that only goes on with a quote. # 000-35"""
    for lines, depth in ((600, 24), (1000, 16), (4000, 4), (15_000, 3)):
        for more in ("x", "> x", "- x"):
            found = flattened("\n".join([">" * 24 + " deep", *[more] * (lines - 1)]))
            assert found.startswith(">" * depth + ("\\>" if depth < 24 else " deep"))
            assert found.count("\n") == lines - 1
