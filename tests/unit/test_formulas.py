"""The module that takes formulas out of an answer (`assets/client/formulas.js`): its rules, and its time.

# 000-35
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
PROGRAM = """
import { readFileSync } from "node:fs";
const { extract } = await import(process.argv[1]);
const timed = (text) => {
  const begun = performance.now();
  const [left, formulas] = extract(text, true);
  return { left, tex: formulas.map((one) => one.tex), ms: performance.now() - begun };
};
const asked = JSON.parse(readFileSync(0, "utf8"));
timed(asked[0]);
process.stdout.write(JSON.stringify(asked.map(timed)));
"""
MOST = 20_000
MOST_MS = 40
HOSTILE = (r"\[", r"\(", "$$", r"\[a", r"\(a", r"\[ \)", r"\( \]", "$a ", "`", "$$ a", "`a``", r"\[\(")


def _extracted(texts: list[str], folder: Path) -> list[dict[str, Any]]:
    """The results of the module, without the libraries that draw."""
    source = (ROOT / "assets" / "client" / "formulas.js").read_text(encoding="utf-8")
    source = re.sub(r"^import .*\n", "", source, flags=re.MULTILINE)
    source = source[: source.index("/** A plugin for remark")]
    module = folder / "formulas.mjs"
    module.write_text(source, encoding="utf-8")
    ran = subprocess.run(
        [str(NODE), "--input-type=module", "-e", PROGRAM, module.as_uri()],
        input=json.dumps(texts), capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    return json.loads(ran.stdout)


def test_the_longest_text_with_many_beginnings_is_read_at_once(tmp_path: Path) -> None:
    hostile = [(begin + unit * MOST)[:MOST] for unit in HOSTILE for begin in ("", "$$", r"\[", "`")]
    # The quickest of three: a busy machine is no slow module.
    ran = [_extracted(hostile, tmp_path) for _ in range(3)]
    slow = {
        text[:8]: ms
        for text, *found in zip(hostile, *ran, strict=True)
        if (ms := min(one["ms"] for one in found)) > MOST_MS
    }
    assert not slow


def test_only_a_formula_at_the_end_that_is_not_closed_waits(tmp_path: Path) -> None:
    cases = {
        r"So \[x^2": ("So ", []),
        r"So \(x^2\) and \(y": ("So \ue0100\ue011 and ", ["x^2"]),
        r"So $$x": ("So ", []),
        r"So \[x" + "y" * 2000: (r"So \[x" + "y" * 2000, []),
        r"\[a \\[2pt] b = c\]": ("\ue0100\ue011", [r"a \\[2pt] b = c"]),
        r"\[one \[x^2\] two": ("", ["x^2"]),
    }
    found = _extracted([*cases], tmp_path)
    assert [(one["left"], one["tex"]) for one in found] == [*cases.values()]
