"""House rules, each with its reason. They hold for every file that is tracked."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILE_LINES = 500
FUNCTION_LINES = 60
RIDDLES = 9
"""Docstrings that may begin with a pronoun or None instead of naming their subject."""
VERB_MODULES = 20
"""Modules that may be named by a verb form."""
NOUNS_IN_ING = {"landing", "pricing", "routing", "tracing"}

LONG_FILES: dict[str, str] = {}
"""Files that may be longer, each with the reason."""


def tracked() -> list[Path]:
    """The files of the repository; in a copy without git, all files that no tool has made."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode == 0 and listed.stdout:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        made = {".venv", ".web", ".web-tests", ".leaf", "node_modules", "__pycache__", ".git"}
        names = [
            str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not made & set(path.relative_to(ROOT).parts)
        ]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


@cache
def texts() -> list[tuple[str, str]]:
    """Name and text of every tracked text file."""
    found: list[tuple[str, str]] = []
    for path in tracked():
        with suppress(UnicodeDecodeError):
            found.append((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")))
    return found


@cache
def sources() -> list[tuple[str, ast.Module, int]]:
    """Name, tree and number of lines of every Python file of Leaf, its jobs and the sandbox."""
    found = [
        (name, text)
        for name, text in texts()
        if name.startswith(("leaf/", "jobs/", "sandbox/")) and name.endswith(".py")
    ]
    return [(name, ast.parse(text), len(text.splitlines())) for name, text in found]


def test_files_are_short() -> None:
    """A module is as long as its subject; beyond this it has two."""
    long = {name: lines for name, _, lines in sources() if lines > FILE_LINES and name not in LONG_FILES}
    assert not long, f"make these packages, or give a reason in LONG_FILES: {long}"
    stale = LONG_FILES.keys() - {name for name, _, lines in sources() if lines > FILE_LINES}
    assert not stale, f"no longer long: {sorted(stale)}"


def test_functions_are_short() -> None:
    """One level of meaning for each."""
    long = [
        f"{name}:{node.lineno} {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for name, tree, _ in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]  # fmt: skip
    assert not long, "\n".join(long)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring, those of attributes included."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield statement.lineno, text.strip()


def test_docstrings_name_their_subject() -> None:
    """A sentence that begins with its noun is understood at the first reading."""
    riddle = re.compile(r"(What|Whoever|Whom|Those|None)\b")
    found = [
        f"{name}:{line} {text.splitlines()[0]}"
        for name, tree, _ in sources()
        for line, text in docstrings(tree)
        if riddle.match(text)
    ]
    assert len(found) <= RIDDLES, "\n".join(found)


def test_modules_are_named_by_nouns() -> None:
    """An importer uses a module as a namespace."""
    verbs = [name for name, _, _ in sources() if (stem := Path(name).stem).endswith("ing") and stem not in NOUNS_IN_ING]
    assert len(verbs) <= VERB_MODULES, "\n".join(verbs)


def test_only_config_reads_the_environment() -> None:
    """A setting that is read in one place can be found, checked and documented."""
    found = [
        f"{name}:{node.lineno}"
        for name, tree, _ in sources()
        if name not in {"leaf/config/__init__.py", *READS_ENVIRONMENT}
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv", "putenv"})
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {a.name for a in node.names} & {"environ", "getenv"}
        )
    ]
    assert not found, f"read the environment in leaf/config: {found}"


READS_ENVIRONMENT: dict[str, str] = {
    "leaf/config/mcp.py": "the file of the MCP servers names variables of the environment",
}


EDGES = {
    "leaf/api/http.py": "an HTTP answer must be made of whatever was raised",
    "jobs/run/checks.py": "an answer does not fail by the check of what it quotes, whatever was raised",
    "jobs/trials.py": "whatever a model on trial raises is the answer that its administrator wants",
    "jobs/library/__init__.py": "the index of all members goes on, whatever one file or feed has raised",
    "jobs/titles.py": "an answer does not fail by the title of its chat, whatever was raised",
    "jobs/run/related.py": "an answer does not fail by its related questions, whatever was raised",
}
"""Where `except Exception` may stand; Reflex's own backend exception handler is the third edge and needs none."""


def test_exceptions_are_caught_by_name() -> None:
    """A broad except hides bugs. One that raises again, or passes the exception on, hides nothing."""
    found: list[str] = []
    for name, tree, _ in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = "everything" if node.type is None else ast.unparse(node.type)
            if caught == "Exception" and name not in EDGES:
                found.append(f"{name}:{node.lineno} catches Exception")
            if caught in {"BaseException", "everything"} and not _passes_on(node):
                found.append(f"{name}:{node.lineno} catches {caught} and does not raise it again")
    assert not found, "\n".join(found)


def _passes_on(handler: ast.ExceptHandler) -> bool:
    raised = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
    given = handler.name is not None and any(
        isinstance(node, ast.Name) and node.id == handler.name for node in ast.walk(handler)
    )
    return raised or given


def test_no_file_names_a_package_registry() -> None:
    """People install from their own mirrors; a lock file with addresses sends them elsewhere."""
    registries = re.compile(
        "|".join(
            [r"registry\.np" + r"mjs", r"registry\.yarn" + "pkg", r"files\.python" + "hosted", r"\bpypi" + r"\.org"]
        )
    )
    found = [name for name, text in texts() if registries.search(text)]
    assert not found, found
    assert not (ROOT / ("uv" + ".lock")).exists(), "uv's own lock file carries addresses: use requirements.lock"
    locks = {name: text for name, text in texts() if name.startswith("reflex.lock/")}
    assert not [name for name, text in locks.items() if '"resolved"' in text]


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    """Such a path works for one person."""
    own = re.compile(r"(?<![\w.:/-])/(?:home|Users|root|work|mnt|private)/[\w.-]+")
    found = [f"{name}: {match.group()}" for name, text in texts() for match in own.finditer(text)]
    assert not found, found


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_has_a_hash(name: str) -> None:
    """The packages that are installed are the ones that were tried."""
    text = (ROOT / name).read_text()
    packages = re.split(r"\n(?=[A-Za-z0-9])", "\n" + text)[1:]
    assert len(packages) > 50
    assert not [package.splitlines()[0] for package in packages if "--hash=sha256:" not in package]


def test_every_requirement_that_a_test_cites_is_a_row() -> None:
    """Row ids such as `# 000-14` show which test proves a requirement; a wrong id proves nothing."""
    rows = set(re.findall(r"^\| (\d{3}-\d{2}) \|", (ROOT / "docs/requirements.md").read_text(), re.MULTILINE))
    strings = [
        (name, node.value)
        for name, text in texts()
        if name.startswith("tests/") and name.endswith(".py") and not rows.issuperset(CITED_ROW.findall(text))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    wrong = {f"{name}: {row}" for name, text in strings for row in CITED_ROW.findall(text) if row not in rows}
    assert len(rows) > 200
    assert not wrong, sorted(wrong)


CITED_ROW = re.compile(r"(?<![\w-])00[0-4]-\d{2}(?![\w-])")


def test_types_are_checked_strictly_and_exceptions_have_their_reasons() -> None:
    """# 004-34"""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pyright"]
    assert rules["typeCheckingMode"] == "strict"
    assert {"leaf", "jobs"} <= {*rules["include"]}
    assert not {"exclude", "ignore", "strict"} & rules.keys()
    assert rules["reportUnknownParameterType"] == "error"
    reports = [f"reportUnknown{kind}Type" for kind in ("Member", "Variable", "Argument", "Lambda")]
    checked = [one["root"] for one in rules["executionEnvironments"] if all(one.get(name) for name in reports)]
    listed = (ROOT / "docs" / "decisions" / "0072-unknown-types.md").read_text("utf-8")
    named = listed.partition("are errors where they find nothing that a library causes**:")[2].partition("(")[0]
    assert sorted(checked) == sorted(re.findall("`([^`]+)`", named))
    for name, text in texts():
        if name.startswith(("leaf/", "jobs/")) and name.endswith(".py"):
            assert not re.search(r"#\s*pyright:\s*(basic|standard|report\w+\s*=)", text), name
            assert not re.search(r"#\s*(type|pyright):\s*ignore(?!\[)", text), name
