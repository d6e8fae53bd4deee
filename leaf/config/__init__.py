"""Settings: the only reader of the environment.

`current()` gives the settings of this process. Where no URL or key is set, `leaf.config.embedded` starts its own
services and installs a copy of the settings that names them (`install`).
"""

import os

from pydantic import ValidationError
from pydantic_settings import SettingsError

from leaf import errors
from leaf.config.problems import SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET
from leaf.config.settings import LOCAL, Settings, SignInProvider


def load() -> Settings:
    """The settings of the environment (and of a file `.env` in the working directory).

    Raises:
        errors.ConfigurationError: Something is missing or malformed; one line per problem.
    """
    try:
        return Settings()  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}" for problem in error.errors()]
        raise errors.ConfigurationError(problems) from None
    except SettingsError as error:
        raise errors.ConfigurationError([f"{_variable(str(error))}: is not valid JSON"]) from None


def _variable(message: str) -> str:
    """The environment variable of the field that a message of pydantic-settings quotes."""
    for name, field in Settings.model_fields.items():
        if f'"{name}"' in message or f'"{field.validation_alias}"' in message:
            return str(field.validation_alias)
    return "Settings"


_current: Settings | None = None


def current() -> Settings:
    """The settings of this process, loaded at the first call."""
    global _current
    if _current is None:
        _current = load()
    return _current


def install(settings: Settings) -> None:
    """Replaces the settings of this process: embedded services and tests do this, nobody else.

    The sandbox and model servers speak plain HTTP on loopback. For them, this sets what oauthlib wants to be told
    before it does so, and keeps a proxy that is set for the outside world out of the way.
    """
    global _current
    _current = settings
    if settings.uses_sandbox_google:
        os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    if settings.uses_sandbox or settings.model_servers:
        spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
        if "127.0.0.1" not in spared and spared.strip() != "*":
            spared = ",".join(filter(None, (spared, "127.0.0.1", "localhost")))
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = spared
