"""The tables of models, as their files have them."""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaf import errors

FOLDER = Path(__file__).parents[2] / "config" / "models"

ModelId = Annotated[str, Field(pattern=r"^[a-z][a-z-]*:\S+$", max_length=200)]
Candidates = tuple[ModelId, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ByType(_Strict):
    """The models of a mode; each list in the order in which they are tried."""

    speed: Candidates = ()
    quality: Candidates = ()


class Beside(_Strict):
    """The models of what is written beside an answer."""

    title: Candidates = ()
    related: Candidates = ()


class Table(_Strict):
    """Which models answer."""

    default: Candidates = ()
    quick: ByType = ByType()
    adaptive: ByType = ByType()
    beside: Beside = Beside()

    @property
    def every(self) -> list[str]:
        """All models in it, each once, in the order in which they stand there."""
        lists = (
            self.quick.speed,
            self.quick.quality,
            self.adaptive.speed,
            self.adaptive.quality,
            self.default,
            self.beside.title,
            self.beside.related,
        )
        return list(dict.fromkeys(model for one in lists for model in one))


def table(file: Path | None, *, cloud: bool) -> Table:
    """The table that is in force.

    Args:
        file: A file of the deployment's own (LEAF_MODELS_FILE).
        cloud: Whether it serves the public (LEAF_CLOUD).

    Raises:
        errors.ConfigurationError: The file is missing or malformed.
    """
    return _read(file.expanduser() if file is not None else FOLDER / ("cloud.toml" if cloud else "default.toml"))


@lru_cache(maxsize=8)
def _read(path: Path) -> Table:
    try:
        return Table.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise errors.ConfigurationError([f"LEAF_MODELS_FILE: {path} cannot be read ({error.strerror})"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise errors.ConfigurationError([f"LEAF_MODELS_FILE: {path} is not TOML ({error})"]) from None
    except ValidationError as error:
        raise errors.ConfigurationError(
            [
                f"LEAF_MODELS_FILE: {path}: {'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}"
                for problem in error.errors()
            ]
        ) from None
