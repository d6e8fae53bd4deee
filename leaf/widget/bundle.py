"""ES modules in one file, for a page that should ask for one. Pure.

Modules that keep to a narrow form need no bundler: each imports names from files beside it, in one line and under the
names that they have there, exports declarations only, and no two of them declare the same name. What does not keep to
it is refused.
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
    """The code of a module and of all that it imports, in the order in which they have to run.

    Args:
        entry: The name of a module, such as `element.js`.
        read: Gives the code of a module by its name.

    Raises:
        ValueError: A module is not of the form, imports what is not exported, or imports itself by others.
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
