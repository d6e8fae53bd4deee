"""Joins ES modules into one file, so that a page loads a single script. Pure.

Modules of a narrow form need no bundler: each imports names from neighbouring files in one line and unchanged, exports
declarations only, and no two declare the same name. Any other form is refused.
"""

import re
from collections.abc import Callable

_IMPORT = re.compile(r'^import \{ ?([\w$, ]+?),? ?\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const|let) )", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:export )?(?:async function|function\*?|async function\*|class|const|let) ([\w$]+)", re.MULTILINE
)
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)


def joined(entry: str, read: Callable[[str], str]) -> str:
    """The code of a module and of everything it imports, in execution order.

    Args:
        entry: Name of a module, such as `element.js`.
        read: Returns the code of a module by name.

    Raises:
        ValueError: A module has another form, imports a name that is not exported, or imports itself indirectly.
    """
    codes: dict[str, str] = {}
    exported: dict[str, frozenset[str]] = {}
    declared: dict[str, str] = {}

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"{name} imports itself by {' → '.join(path)}")
        if name in codes:
            return
        code = read(name)
        wanted = [(file, names.replace(" ", "").split(",")) for names, file in _IMPORT.findall(code)]
        for file, names in wanted:
            add(file, (*path, name))
            if missing := set(names) - exported[file]:
                raise ValueError(f"{name} imports {', '.join(sorted(missing))}, which {file} does not export")
        own = _DECLARED.findall(code)
        for one in own:
            if one in declared:
                raise ValueError(f"{name} and {declared[one]} both declare {one}")
            declared[one] = name
        exported[name] = frozenset(
            _DECLARED.findall("\n".join(line for line in code.splitlines() if _EXPORT.match(line)))
        )
        plain = _EXPORT.sub("", _IMPORT.sub("", code))
        if left := _LEFT.search(plain):
            raise ValueError(f"{name} cannot be joined: {left[0]}")
        codes[name] = plain.strip()

    add(entry, ())
    return "\n\n".join(codes.values()) + "\n"
