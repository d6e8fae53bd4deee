"""What a Containerfile says: its stages, the steps of each, and what processes of the image start with.

Only what deploy/Containerfile uses is understood; anything else is refused by its line, and not passed over.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Literal

_CONTINUED = re.compile(r"\\\n(?:[ \t]*#[^\n]*\n)*")
_FROM = re.compile(r"(\S+)(?: AS (\w+))?")
_HEALTH = re.compile(r"(?:--[a-z-]+=\w+\s+)*CMD (\[.*\])")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


class NotUnderstood(ValueError):
    """An instruction, or a part of one, that is not understood here."""


@dataclass(frozen=True)
class Step:
    """An instruction that changes files, and what holds when it is carried out."""

    kind: Literal["RUN", "COPY", "WORKDIR"]
    text: str
    """The command of RUN, the folder of WORKDIR, the destination of COPY."""
    environment: dict[str, str]
    folder: str
    user: str
    sources: tuple[str, ...] = ()
    stage: str = ""
    """The stage from which COPY takes the sources; empty for the project's folder."""


@dataclass(frozen=True)
class Image:
    """A stage: on what it is based, its steps, and what a process of it starts with."""

    base: str
    name: str = ""
    steps: tuple[Step, ...] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])
    folder: str = "/"
    user: str = "root"
    command: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    health: tuple[str, ...] = ()


def stages(text: str, environment: dict[str, str]) -> list[Image]:
    """The stages of a Containerfile, in their order.

    Args:
        text: The file.
        environment: The variables of images that are no stage of this file.

    Raises:
        NotUnderstood: The file has an instruction that is not understood here.
    """
    made: list[Image] = []
    for name, rest in _instructions(text):
        if name == "FROM":
            found = _FROM.fullmatch(rest)
            if found is None:
                raise NotUnderstood(f"FROM {rest}")
            below = next((one for one in made if one.name == found[1]), None)
            fresh = replace(below, steps=()) if below else Image(found[1], environment=environment)
            made.append(replace(fresh, base=found[1], name=found[2] or ""))
        elif not made:
            raise NotUnderstood(f"{name} before FROM")
        else:
            made[-1] = _with(made[-1], name, rest)
    return made


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    for line in _CONTINUED.sub("", text).splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def _with(image: Image, name: str, rest: str) -> Image:
    """The stage after one more instruction."""
    changed: dict[str, Any]
    match name:
        case "RUN" if not rest.startswith(("[", "--")):
            changed = {"steps": (*image.steps, _step(image, "RUN", rest))}
        case "WORKDIR" if rest.startswith("/") and "$" not in rest:
            changed = {"steps": (*image.steps, _step(image, "WORKDIR", rest)), "folder": rest}
        case "COPY":
            changed = {"steps": (*image.steps, _copy(image, rest))}
        case "ENV":
            changed = {"environment": image.environment | _variables(rest, image.environment)}
        case "USER" if re.fullmatch(r"\w+", rest):
            changed = {"user": rest}
        case "EXPOSE" if rest.isdecimal():
            changed = {"ports": (*image.ports, int(rest))}
        case "CMD" if rest.startswith("["):
            changed = {"command": tuple(json.loads(rest))}
        case "HEALTHCHECK" if found := _HEALTH.fullmatch(rest):
            changed = {"health": tuple(json.loads(found[1]))}
        case _:
            raise NotUnderstood(f"{name} {rest}")
    return replace(image, **changed)


def _step(image: Image, kind: Literal["RUN", "COPY", "WORKDIR"], text: str) -> Step:
    return Step(kind, text, image.environment, image.folder, image.user)


def _copy(image: Image, rest: str) -> Step:
    words = shlex.split(rest)
    stage = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else ""
    if len(words) < 2 or any(word.startswith("--") or set(word) & set("$*?[") for word in words):
        raise NotUnderstood(f"COPY {rest}")
    return replace(_step(image, "COPY", words[-1]), sources=tuple(words[:-1]), stage=stage)


def _variables(rest: str, known: dict[str, str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in shlex.split(rest)]
    if not all(separator and re.fullmatch(r"\w+", name) for name, separator, _ in pairs):
        raise NotUnderstood(f"ENV {rest}")
    return {name: _VARIABLE.sub(lambda one: known.get(one[1] or one[2], ""), value) for name, _, value in pairs}


def sent(root: Path, ignore: str) -> list[Path]:
    """The files that a build may copy, relative to the project's folder: all but those of `.dockerignore`.

    Args:
        root: The project's folder.
        ignore: The lines of `.dockerignore`; the last one that matches a file or a folder around it counts.
    """
    patterns = [line.strip() for line in ignore.splitlines() if line.strip() and not line.startswith("#")]
    # Only what an exception names is looked at; the rest may be large.
    named = [root / line[1:] for line in patterns if line.startswith("!")]
    found = {path for top in named for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()}
    return sorted(path.relative_to(root) for path in found if _is_sent(PurePosixPath(path.relative_to(root)), patterns))


def _is_sent(path: PurePosixPath, patterns: list[str]) -> bool:
    around = [str(one) for one in (path, *path.parents) if str(one) != "."]
    is_sent = True
    for pattern in patterns:
        wanted = pattern.removeprefix("!")
        anywhere = wanted.removeprefix("**/")
        if any(
            _matches(one, wanted) or (anywhere != wanted and _matches(one.rpartition("/")[2], anywhere))
            for one in around
        ):
            is_sent = pattern.startswith("!")
    return is_sent


def _matches(path: str, pattern: str) -> bool:
    """Whether a path matches; `*` does not reach over a border between folders."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
