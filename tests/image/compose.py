"""What a compose file says of its services, with the variables of a file `.env` filled in."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy" / "compose.yaml"
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def services(variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The services by their names.

    Args:
        variables: What `.env` sets.

    Raises:
        KeyError: A variable is needed that is not set.
    """
    found: dict[str, dict[str, Any]] = _filled(yaml.safe_load(FILE.read_text()), variables)["services"]
    for one in found.values():
        # What the file sets wins over what `.env` sets.
        if one.get("env_file"):
            one["environment"] = {**variables, **one.get("environment", {})}
    return found


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, variables) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, variables) for one in value]
    if not isinstance(value, str):
        return value

    def of(found: re.Match[str]) -> str:
        if variables.get(found[1]):
            return variables[found[1]]
        if found[2] == "-":
            return found[3]
        raise KeyError(f"{found[1]}: {found[3]}")

    return _VARIABLE.sub(of, value)


def seconds(duration: str) -> float:
    """A duration such as `30s`, in seconds."""
    return float(duration.removesuffix("s"))
