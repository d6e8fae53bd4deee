"""The sources of settings: environment variables and TOML files."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings

from leaf import errors

T = TypeVar("T", bound=BaseModel)


class EnvironmentSettings(BaseSettings):
    """Settings whose fields have the names of environment variables as aliases."""

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable of a field."""
        return str(cls.model_fields[field].validation_alias)

    def has(self, field: str) -> bool:
        """Whether a field has a value that is not blank."""
        return bool(str(getattr(self, field) or "").strip())


def problems_of(error: ValidationError) -> list[str]:
    """The problems of invalid settings, one line each."""
    return [f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}" for problem in error.errors()]


def read(path: Path, model: type[T], variable: str) -> T:
    """The content of a TOML file.

    Args:
        path: The file.
        model: The model of its content.
        variable: The environment variable that names the file, for errors.

    Raises:
        errors.ConfigurationError: The file is missing or malformed.
    """
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise errors.ConfigurationError([f"{variable}: {path} cannot be read ({error.strerror})"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise errors.ConfigurationError([f"{variable}: {path} is not TOML ({error})"]) from None
    except ValidationError as error:
        raise errors.ConfigurationError([f"{variable}: {path}: {one}" for one in problems_of(error)]) from None
