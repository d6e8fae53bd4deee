"""The imports that each layer may make, the modules that each process loads, and imports without side effects.

The layers are those of the design: pages, components, state, services, db, base; routes beside the pages, jobs above
agent and services, which never meet each other, and the sandbox apart.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

from leaf import config
from sandbox import accounts

ROOT = Path(__file__).parent.parent
BASE = {
    "audiences", "callers", "charts", "citations", "comparison", "config", "documents", "errors", "google", "outbound",
    "parts", "queue", "redis", "streams",
    "sites", "telemetry", "texts", "unattended",
}  # fmt: skip
"""The modules right under `leaf/` on which everything else stands."""

MAY_IMPORT: dict[str, set[str]] = {
    "base": {"base"},
    "db": {"db", "base"},
    "services": {"services", "db", "base"},
    "views": {"views", "services", "db", "base"},
    "state": {"state", "views", "services", "db", "base"},
    "components": {"components", "state", "views", "services", "base"},
    "pages": {"pages", "components", "state", "views", "services", "base"},
    "api": {"api", "services", "base"},
    "agent": {"agent", "base"},
    "sandbox": {"sandbox"},
    "jobs": {"jobs", "agent", "services", "db", "base"},
    "leaf": {"pages", "components", "state", "views", "api", "db", "base"},
    "__main__": {"base", "db", "services"},
}
"""`leaf` is `leaf/leaf.py`: composition."""


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of Leaf by its dotted name."""
    for path in sorted(path for folder in ("leaf", "jobs", "sandbox") for path in (ROOT / folder).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


NAMES = {name for name, _ in modules()}


def layer_of(module: str) -> str | None:
    """The layer of a dotted name; None for what is not Leaf's, and for the bare package."""
    first, _, rest = module.partition(".")
    if first in {"jobs", "sandbox"}:
        return first
    if first != "leaf" or not rest:
        return None
    top = rest.partition(".")[0]
    return "base" if top in BASE else top


def imports_of(path: Path, *, for_types: bool = True) -> set[str]:
    """The dotted names of what a file imports, wherever in it.

    Args:
        path: A module.
        for_types: Also what is imported for type checkers alone.
    """
    found: set[str] = set()
    tree = ast.parse(path.read_text())
    typing = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing and not for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide what is imported"
            module = str(node.module)
            found |= {f"{module}.{alias.name}" if f"{module}.{alias.name}" in NAMES else module for alias in node.names}
    return found


def test_every_module_has_a_layer() -> None:
    """A new package right under `leaf/` belongs into the table, or into BASE."""
    unknown = {name for name, _ in modules() if layer_of(name) not in {*MAY_IMPORT, None}}
    assert not unknown, f"give these a layer in tests/test_layers.py: {sorted(unknown)}"


@pytest.mark.parametrize("layer", sorted(MAY_IMPORT))
def test_imports_go_one_way(layer: str) -> None:
    """# 001-27"""
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        if layer_of(name) == layer
        for imported in sorted(imports_of(path))
        if layer_of(imported) not in {*MAY_IMPORT[layer], None}
    ]
    assert not wrong, "\n".join(wrong)


OF_THE_DATABASE = {"sqlalchemy", "sqlmodel", "asyncpg", "psycopg"}


def test_only_services_read_and_write_the_database() -> None:
    """Pages, routes, the agent and jobs open no transaction and build no query. # 001-27"""
    wrong = [
        f"{name} uses {used}"
        for name, path in modules()
        if layer_of(name) not in {None, "db", "services", "base", "sandbox"}
        for used in sorted({*_names_in(path)} & {*OF_THE_DATABASE, "transaction"})
    ]
    assert not wrong, "\n".join(wrong)


def _names_in(path: Path) -> Iterator[str]:
    """The packages that a file imports, the names that it takes from modules, and the attributes that it reads."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (str(node.module).partition(".")[0], *(alias.name for alias in node.names))
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_the_sandbox_stands_alone() -> None:
    """It is a process of its own: no layer of the product imports it, and it imports none of them. # 001-27"""
    assert MAY_IMPORT["sandbox"] == {"sandbox"}
    assert [layer for layer, allowed in MAY_IMPORT.items() if "sandbox" in allowed] == ["sandbox"]
    assert (accounts.CLIENT_ID, accounts.CLIENT_SECRET) == (config.SANDBOX_CLIENT_ID, config.SANDBOX_CLIENT_SECRET)


def test_the_stand_in_model_knows_no_protocol() -> None:
    """Its rules see conversations alone, whichever provider's protocol they came by."""
    assert not [
        f"{name} imports {imported}"
        for name, path in modules()
        if name.startswith("sandbox.model")
        for imported in sorted(imports_of(path))
        if imported.startswith(("sandbox.", "pydantic", "starlette"))
        and not imported.startswith("sandbox.model")
        and imported not in {"sandbox.conversation", "sandbox.passages", "sandbox.ranking", "sandbox.times"}
    ]


def test_agent_and_services_never_meet() -> None:
    """The job introduces them to each other; so either can be tried without the other. # 001-27, 001-28"""
    assert "services" not in MAY_IMPORT["agent"]
    assert "agent" not in MAY_IMPORT["services"]
    assert "db" not in MAY_IMPORT["agent"]


def test_there_are_no_circles_within_a_layer() -> None:
    """A module that needs its importer is one module in two files."""
    graph = {name: {other for other in imports_of(path, for_types=False) if other in NAMES} for name, path in modules()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path[path.index(name) :], name))
        if name in done:
            return
        for imported in sorted(graph[name]):
            # A package's own modules are reached through it, and it names them.
            if not imported.startswith(f"{name}.") and not name.startswith(f"{imported}."):
                visit(imported, (*path, name))
        done.add(name)

    for name in sorted(graph):
        visit(name, ())


IMPORTS = """
import importlib, json, os, sys
os.environ["LEAF_ENV"] = "nonsense"
groups = json.loads(sys.argv[2])
own = tuple(f"{sys.argv[1]}/{folder}/" for folder in ("leaf", "jobs", "sandbox"))
found, module = [], ""
def ours():
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        if frame.f_code.co_filename.startswith(own):
            return True
        frame = frame.f_back
    return False
def audit(event, arguments):
    if not module:
        return
    # Not socket.bind: urllib3 finds out about IPv6 by it.
    if event in ("socket.connect", "subprocess.Popen", "os.fork"):
        found.append(f"{module}: {event}")
    elif event in ("open", "os.mkdir", "os.remove", "os.rename", "os.listdir", "os.scandir") and ours():
        found.append(f"{module}: {event} {arguments[0]}")
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        # Python itself keeps the bytecode of what it imports.
        if not sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
            found.append(f"{module}: writes {arguments[0]}")
def load(names):
    global module
    for module in names:
        importlib.import_module(module)
    module = ""
sys.addaudithook(audit)
load(groups.pop("every"))
for group, names in groups.items():
    reading, writing = os.pipe()
    if os.fork() == 0:
        load(names)
        with open(writing, "w") as report:
            json.dump([found, sorted(sys.modules)], report)
        os._exit(0)
    os.close(writing)
    with open(reading) as report:
        print(group, report.read(), flush=True)
    os.wait()
"""


@dataclass(frozen=True)
class Process:
    """A process that has imported all modules of some layers."""

    deeds: list[str]
    """Actions of its imports, other than importing."""
    packages: set[str]


@pytest.fixture(scope="module")
def processes() -> dict[str, Process]:
    """The web process, the worker and the sandbox; they are forks of one that has what web and worker share.

    `leaf.leaf` is left out: Reflex wants the app to be made when it is imported.
    """
    layers = {
        "every": ("api", "services", "db", "base"),
        "web": ("pages", "components", "state", "views"),
        "worker": ("jobs", "agent"),
        "sandbox": ("sandbox",),
    }
    names = [name for name, _ in modules() if name != "leaf.leaf" and not name.endswith("__main__")]
    wanted = {group: [name for name in names if layer_of(name) in found] for group, found in layers.items()}
    assert sorted(names) == sorted([*chain(*wanted.values()), "leaf"])
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORTS, str(ROOT), json.dumps(wanted)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr[-3000:]
    made: dict[str, Process] = {}
    for line in finished.stdout.splitlines():
        group, _, report = line.partition(" ")
        assert report, finished.stderr[-3000:]
        deeds, loaded = json.loads(report)
        made[group] = Process(deeds, {name.partition(".")[0] for name in loaded})
    return made


def test_the_web_process_never_loads_the_agent(processes: dict[str, Process]) -> None:
    """pydantic-ai takes seconds to import, and model providers have no place where sessions are."""
    loaded = processes["web"].packages
    assert "reflex" in loaded
    assert not loaded & {"pydantic_ai", "openai", "anthropic", "genai"}


def test_the_worker_never_loads_the_pages(processes: dict[str, Process]) -> None:
    """Nor do the routes by themselves."""
    loaded = processes["worker"].packages
    assert "pydantic_ai" in loaded
    assert not loaded & {"reflex", "reflex_base"}


def test_importing_does_nothing(processes: dict[str, Process]) -> None:
    """No socket, no file, no process, and whatever the environment says."""
    assert {group: process.deeds for group, process in processes.items()} == {"web": [], "worker": [], "sandbox": []}


def test_views_do_not_know_reflex() -> None:
    """Views are pure functions from rows to what a page draws; `leaf/state` alone holds page states."""
    assert not [name for name, path in modules() if layer_of(name) == "views" and "reflex" in imports_of(path)]
