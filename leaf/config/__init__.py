"""The settings. Only this package reads the environment.

`current()` returns the settings of this process. If no URL or key is set, `leaf.config.embedded` starts its own
services and installs a copy of the settings with their addresses (`install`).
"""

import os

from pydantic import ValidationError
from pydantic_settings import SettingsError

from leaf import errors
from leaf.config import sources
from leaf.config.problems import SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET
from leaf.config.settings import LOCAL, Settings, SignInProvider


def load() -> Settings:
    """The settings from the environment and from a file `.env` in the working directory.

    Raises:
        errors.ConfigurationError: A setting is missing or malformed; one line per problem.
    """
    try:
        return Settings()  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        raise errors.ConfigurationError(sources.problems_of(error)) from None
    except SettingsError as error:
        raise errors.ConfigurationError([f"{_variable(str(error))}: is not valid JSON"]) from None


def _variable(message: str) -> str:
    """The environment variable of the field that an error message of pydantic-settings names."""
    named = [(name, Settings.variable(name)) for name in Settings.model_fields]
    return next(
        (variable for name, variable in named if f'"{name}"' in message or f'"{variable}"' in message), "Settings"
    )


_current: Settings | None = None


def current() -> Settings:
    """The settings of this process. The first call loads them."""
    global _current
    if _current is None:
        _current = load()
    return _current


def install(settings: Settings) -> None:
    """Replaces the settings of this process. Only embedded services and tests call this.

    The sandbox and model servers use plain HTTP on loopback. For them, this sets the environment variable with which
    oauthlib allows plain HTTP, and excludes loopback from a proxy for other addresses.
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
