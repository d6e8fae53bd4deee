"""Model servers on this machine: the addresses at which they are looked for, and the ones that were found.

A model of such a server is `local:<host>:<port>/<name>`. Its id holds the address, so every process can send it a
request without having looked for it. `leaf.config.model_servers` looks.
"""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from leaf.config import addresses

PROVIDER: Final = "local"
OFF: Final = "off"
USUAL: Final = {
    "localhost:11434": "Ollama",
    "localhost:1234": "LM Studio",
    "localhost:8080": "llama.cpp",
    "localhost:8000": "vLLM",
    "localhost:1337": "Jan",
    "localhost:30000": "SGLang",
}
"""The addresses at which servers listen as they are installed. The names are guesses until a server has answered."""


@dataclass(frozen=True)
class Model:
    """A model of a server."""

    name: str
    context_tokens: int | None = None
    """The tokens that the server reads and writes in one request; None if it does not say."""
    calls_tools: bool | None = None
    """Whether it can call tools; None if the server does not say."""
    sees: bool | None = None
    """Whether it sees pictures; None if the server does not say."""


@dataclass(frozen=True)
class Server:
    """A server of models that has answered."""

    address: str
    """Host and port, as people read it."""
    label: str
    """Its name, such as "Ollama"."""
    models: tuple[Model, ...] = ()
    answers: bool = True
    """Whether it answered the last time. Its models stay offered: their answers say that it has stopped."""

    def id_of(self, model: Model) -> str:
        """The id of one of its models."""
        return f"{PROVIDER}:{self.address}/{model.name}"


_found: dict[str, Server] = {}


def found() -> tuple[Server, ...]:
    """The servers that this process has found."""
    return tuple(_found.values())


def note(server: Server) -> None:
    """Keeps a server that has answered."""
    _found[server.address] = server


def lose(address: str) -> None:
    """Notes that a server that was found does not answer any more."""
    if address in _found:
        _found[address] = replace(_found[address], answers=False)


def forget() -> None:
    """Forgets all servers."""
    _found.clear()


def parts(model_id: str) -> tuple[str, str]:
    """The address of the server and the name of the model of an id; both empty for a model of another provider."""
    provider, _, rest = model_id.partition(":")
    address, _, name = rest.partition("/")
    return (address, name) if provider == PROVIDER else ("", "")


def model(model_id: str) -> Model | None:
    """A model that was found; None for any other one."""
    address, name = parts(model_id)
    server = _found.get(address)
    return next((one for one in server.models if one.name == name), None) if server is not None else None


def listed(setting: str, *, development: bool) -> dict[str, str]:
    """The base URLs at which servers are looked for, by their addresses.

    Args:
        setting: LEAF_LOCAL_MODELS: empty for the usual addresses, `off`, or addresses, comma-separated.
        development: Whether an empty setting means the usual addresses; in production it means none.
    """
    if setting.strip().lower() == OFF:
        return {}
    if not setting.strip():
        return {address: f"http://{address}" for address in USUAL} if development else {}
    urls = [_url(one) for one in setting.split(",") if one.strip()]
    return {urlsplit(url).netloc: url for url in urls}


def problems(setting: str) -> list[str]:
    """The problems of the setting."""
    urls = listed(setting, development=False).values()
    wrong = [url for url in urls if not (addresses.is_web_address(url) and addresses.is_origin(url))]
    return [
        f"LEAF_LOCAL_MODELS: must be `off`, or addresses such as http://localhost:11434, not {url}" for url in wrong
    ]


def _url(named: str) -> str:
    url = named.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    return url if "://" in url else f"http://{url}"
