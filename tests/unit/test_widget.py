"""The widget's script: how it is joined, how large it is, how it reads streams, and the guide to signing."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from leaf import texts
from leaf.api import widget as routes
from leaf.sites import context, identity, widget
from leaf.sites.widget.script import SOURCE, joined
from tests import php

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
MOST_BYTES = 40_000
SECRET = "leaf_sign_a-secret-for-this-test-alone-0123456789"
USER = 'käufer/7 "a+b"@shop.example'


def modules(**codes: str) -> str:
    return joined("main.js", lambda name: codes[name.removesuffix(".js")])


@pytest.mark.parametrize("script", [widget.classic(), widget.module()], ids=["classic", "module"])
def test_the_widget_is_small_and_is_one_file(script: widget.Script) -> None:
    """# 003-24"""
    assert gzip.decompress(script.compressed) == script.plain
    assert len(script.compressed) < MOST_BYTES
    assert not re.search(rb"^import |\bimport\(", script.plain, re.MULTILINE)


@pytest.mark.parametrize("path", ["/widget.js", "/widget.mjs"])
async def test_any_page_may_have_the_script_and_keeps_it(path: str) -> None:
    """From any origin, packed, and without asking for it twice. # 003-24"""
    transport = httpx.ASGITransport(Starlette(routes=routes.routes))
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        packed = await http.get(path, headers={"origin": "https://shop.example"})
        plain = await http.get(path, headers={"accept-encoding": "identity"})
        again = await http.get(path, headers={"if-none-match": f'"other", {packed.headers["etag"]}'})
    assert (packed.status_code, plain.status_code, again.status_code) == (200, 200, 304)
    assert (packed.headers["content-encoding"], packed.headers["access-control-allow-origin"]) == ("gzip", "*")
    assert packed.headers["content-type"].startswith("text/javascript")
    assert packed.content == plain.content
    assert again.content == b""


@pytest.mark.parametrize("kind", ["js", "mjs"])
def test_what_is_sent_is_javascript(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"widget.{kind}"
    file.write_bytes((widget.classic() if kind == "js" else widget.module()).plain)
    done = subprocess.run([NODE, "--check", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*.js")), ids=lambda path: path.stem)
def test_sources_are_short_and_use_nothing_that_a_policy_forbids(path: Path) -> None:
    """Neither HTML from texts, nor code from texts, nor styles in attributes. # 003-24"""
    source = path.read_text()
    assert len(source.splitlines()) <= 450
    texts_as_html = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser"
    texts_as_code = r"\beval\(|new Function"
    styles_in_attributes = r"setAttribute\(\"style|\bstyle:"
    assert not re.search(f"{texts_as_html}|{texts_as_code}|{styles_in_attributes}", source)


def test_modules_are_joined_in_the_order_in_which_they_have_to_run() -> None:
    code = modules(
        main='import { a, b } from "./low.js";\nimport { c } from "./mid.js";\nexport const d = a + b + c;\n',
        mid='import { a } from "./low.js";\nexport const c = a;\n',
        low="export const a = 1;\nexport function b() {}\n",
    )
    assert code == "const a = 1;\nfunction b() {}\n\nconst c = a;\n\nconst d = a + b + c;\n"


ONE = "export const a = 1;\n"
TAKES = 'import { a } from "./b.js";\n'


@pytest.mark.parametrize(
    ("main", "other", "said"),
    [
        (TAKES, "const a = 1;\n", "does not export"),
        (f"{TAKES}const x = 1;\n", f"{ONE}const x = 2;\n", "both declare x"),
        ('import { a as b } from "./b.js";\n', ONE, "does not export|cannot be joined"),
        ('import x from "./b.js";\n', ONE, "cannot be joined"),
        ('import "./b.js";\n', ONE, "cannot be joined"),
        ("export default 1;\n", ONE, "cannot be joined"),
        ('const a = import("./b.js");\n', ONE, "cannot be joined"),
        (f"{TAKES}export const c = 1;\n", 'import { c } from "./main.js";\nexport const a = c;\n', "imports itself"),
    ],
)
def test_modules_of_another_form_are_refused(main: str, other: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        modules(main=main, b=other)


def test_every_word_of_the_widget_is_in_it_in_both_languages() -> None:
    """Words that are said are there, and those that are there are said."""
    said = {key for path in SOURCE.glob("*.js") for key in re.findall(r'"(widget\.\w+)"', path.read_text())}
    for language in texts.LANGUAGES:
        known = {key for key in texts.catalogue(language) if key.startswith("widget.")}
        assert known == said, known ^ said


@pytest.mark.parametrize("file", sorted((ROOT / "tests" / "widget").glob("*.test.mjs")), ids=lambda file: file.name)
def test_what_the_widget_is_made_of(file: Path) -> None:
    """Its parsers, its Markdown and its store under Node, with fixed seeds. # 003-16, 003-23"""
    command = [NODE, "--test", "--test-reporter=tap", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)


def snippet(language: str) -> str:
    """The code of the guide in a language."""
    guide = (ROOT / "docs" / "widget.md").read_text()
    (found,) = [code for code in re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL) if "SIGNING_SECRET" in code]
    return found


def run(command: list[str], code: str, environment: dict[str, str]) -> str:
    environment = {**environment, "LEAF_SIGNING_SECRET": SECRET, "LEAF_USER": USER}
    done = subprocess.run(command, input=code, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("language", ["python", "js", "php"])
def test_the_guide_signs_tokens_that_hold(language: str) -> None:
    """Run as it stands in the guide, for a name that needs every escape. # 003-09, 003-32"""
    code = snippet(language)
    assert not re.search(r"^(import|from|use|require)\b(?!.*(base64|node:crypto))", code, re.MULTILINE), "no packages"
    if language == "python":
        token = run([sys.executable, "-"], f'{code}\nprint(leaf_token(os.environ["LEAF_USER"]))', {**os.environ})
    elif language == "js":
        token = run([str(NODE), "-"], f"{code}\nconsole.log(leafToken(process.env.LEAF_USER));", {**os.environ})
    else:
        path = php.find()
        if path is None:
            pytest.skip("no PHP: run `python -m tests.php`")
        token = run([path, "-n"], f"<?php\n{code}\necho leaf_token(getenv('LEAF_USER'));", php.environment())
    proven = identity.verified(token, [SECRET])
    assert proven is not None
    assert proven.user_id == USER
    assert identity.verified(token, ["another secret, of at least thirty-two bytes"]) is None
    assert identity.verified(token[:-2] + ("AA" if token[-2:] != "AA" else "BB"), [SECRET]) is None


def test_what_the_widget_sends_of_a_page_is_what_the_server_takes() -> None:
    """# 003-06"""
    source = (SOURCE / "context.js").read_text()
    (table,) = re.findall(r"const MOST = \{(.*?)\};", source)
    assert {name: int(most) for name, most in re.findall(r"(\w+): (\d+)", table)} == context.CHARACTERS
    assert f"MOST_METADATA_BYTES = {context.METADATA_BYTES};" in source
    assert f"MOST_DEPTH = {context.METADATA_DEPTH};" in source
