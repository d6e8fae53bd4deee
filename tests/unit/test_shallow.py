"""Markdown that is nested deeper than it can be read (`assets/client/shallow.js`), as Node runs it."""

import json
import subprocess
import sys
from pathlib import Path

NODE = Path(sys.executable).parent / "node"
MODULE = (Path(__file__).parents[2] / "assets/client/shallow.js").as_uri()
RUN = f"""
import {{ shallow }} from {json.dumps(MODULE)};
const given = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(given.map(shallow)));
"""


def shallow(*given: str) -> list[str | None]:
    done = subprocess.run(
        [NODE, "--no-warnings", "--input-type=module", "-e", RUN],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def nested(levels: int, step: str = "  ", between: str = "\n") -> str:
    return between.join(f"{step * level}- item {level}" for level in range(levels))


def indents(text: str | None) -> list[int]:
    return [len(line) - len(line.lstrip()) for line in (text or "").splitlines() if line.strip()]


def test_what_can_be_read_stays_as_it_is() -> None:
    given = [
        nested(24),
        f"```yaml\n{nested(60)}\n```",
        "- " * 20 + "deep",
        "> " * 24 + "quoted",
        f"Text\n\n{' ' * 90}code\n",
        "- " * 40,
        f"{'1. ' * 3}one\n\n{'*' * 80}",
    ]
    assert shallow(*given) == given


def test_what_is_deeper_stands_in_the_deepest_list_with_all_of_its_words() -> None:
    for given in (nested(300), nested(300, between="\n\n"), nested(300, "    "), nested(200, "\t")):
        (found,) = shallow(given)
        assert [line.strip() for line in (found or "").splitlines()] == [line.strip() for line in given.splitlines()]
        assert max(indents(found)) <= 4 * 23 + 2


def test_code_and_paragraphs_in_it_keep_their_places() -> None:
    inside = "  " * 40
    given = (
        f"{nested(40)}\n{inside}```py\n{inside}def f():\n{inside}    return 1\n{inside}```\n\n{inside}Words.\n- back"
    )
    (found,) = shallow(given)
    lines = (found or "").splitlines()[-8:]
    assert [line[48:] for line in lines[1:5]] == ["```py", "def f():", "    return 1", "```"]
    assert lines[6][48:] == "Words."
    assert lines[7] == "- back"


def test_one_sign_repeated_is_no_list() -> None:
    assert shallow(">" * 3000 + " deep", "- " * 2000 + "deep") == [None, None]
    assert shallow("- " * 30 + "deep", ">" * 30 + " deep") == [
        "- " * 24 + "\\" + "- " * 6 + "deep",
        ">" * 24 + "\\" + ">" * 6 + " deep",
    ]
