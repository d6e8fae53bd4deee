"""Model servers: the addresses at which Leaf looks for them, and the servers that it has found.

The id of such a model is `local:<host>:<port>/<name>`. It contains the address, so every process can send a request
without a search. `leaf.config.model_servers` does the search.
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
"""The default addresses of servers. The names are guesses until a server has answered."""


@dataclass(frozen=True)
class Model:
    """A model of a server."""

    name: str
    context_tokens: int | None = None
    """The maximum number of tokens of a request and its answer; None if the server does not say."""
    calls_tools: bool | None = None
    """Whether the model can call tools; None if the server does not say."""
    sees: bool | None = None
    """Whether the model reads pictures; None if the server does not say."""


@dataclass(frozen=True)
class Server:
    """A model server that has answered."""

    address: str
    """The host and port."""
    label: str
    """The name of its program, such as "Ollama"."""
    models: tuple[Model, ...] = ()
    answers: bool = True
    """Whether it answered the last time. If it did not, its models are still offered, and a request to them reports the
    failure.
    """

    def id_of(self, model: Model) -> str:
        """The id of one of its models."""
        return f"{PROVIDER}:{self.address}/{model.name}"


_found: dict[str, Server] = {}


def found() -> tuple[Server, ...]:
    """The servers that this process has found."""
    return tuple(_found.values())


def remember(server: Server) -> None:
    """Stores a server that has answered."""
    _found[server.address] = server


def mark_unreachable(address: str) -> None:
    """Records that a known server no longer answers."""
    if address in _found:
        _found[address] = replace(_found[address], answers=False)


def forget() -> None:
    """Forgets all servers."""
    _found.clear()


def parts(model_id: str) -> tuple[str, str]:
    """Splits an id into the address of the server and the name of the model. Both are empty for other providers."""
    provider, _, rest = model_id.partition(":")
    address, _, name = rest.partition("/")
    return (address, name) if provider == PROVIDER else ("", "")


def model(model_id: str) -> Model | None:
    """The model with an id; None if it was not found on a server."""
    address, name = parts(model_id)
    server = _found.get(address)
    return next((one for one in server.models if one.name == name), None) if server is not None else None


def base_urls(setting: str, *, development: bool) -> dict[str, str]:
    """The base URLs at which Leaf looks for servers, by host and port.

    Args:
        setting: The value of LEAF_LOCAL_MODELS: empty for the default, `off`, or comma-separated addresses.
        development: Whether an empty setting means the addresses in `USUAL`. In production it means none.
    """
    if setting.strip().lower() == OFF:
        return {}
    if not setting.strip():
        return {address: f"http://{address}" for address in USUAL} if development else {}
    urls = [_url(one) for one in setting.split(",") if one.strip()]
    return {urlsplit(url).netloc: url for url in urls}


def problems(setting: str) -> list[str]:
    """The problems of the setting LEAF_LOCAL_MODELS, one line each."""
    urls = base_urls(setting, development=False).values()
    wrong = [url for url in urls if not (addresses.is_web_address(url) and addresses.is_origin(url))]
    return [
        f"LEAF_LOCAL_MODELS: must be `off`, or addresses such as http://localhost:11434, not {url}" for url in wrong
    ]


def _url(named: str) -> str:
    url = named.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    return url if "://" in url else f"http://{url}"
