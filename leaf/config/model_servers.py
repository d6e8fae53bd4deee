"""Looks for model servers: Ollama, LM Studio, llama.cpp, vLLM, and others with the Chat Completions API of OpenAI.

The protocols: https://docs.ollama.com/api (`/api/tags`, `/api/show`, `/api/ps`), https://lmstudio.ai/docs/api/rest-api
(`/api/v0/models`), and OpenAI's list of models (`/v1/models`), to which llama.cpp and vLLM add the context. If an
address answers with anything else, it belongs to another program and is not asked again until the next start.
"""

import asyncio
import json
import logging
import re
import ssl
from contextlib import suppress
from functools import cache
from typing import Any

import httpx

from leaf import config
from leaf.config import local
from leaf.config.local import Model, Server

log = logging.getLogger(__name__)

LOOK_SECONDS = 60.0
"""The interval between two searches for servers."""
LOAD_SECONDS = 60.0
"""The maximum time that Ollama may take to load a model before its context is looked up."""
_ANSWER_SECONDS = 3.0
_MOST_BYTES = 2_000_000
_MOST_MODELS = 100
_NAME_CHARACTERS = 150
_OLLAMA, _LM_STUDIO = "Ollama", "LM Studio"
_OWNERS = {"vllm": "vLLM", "llamacpp": "llama.cpp", "sglang": "SGLang", "library": _OLLAMA}

_strangers: set[str] = set()
"""The addresses at which another program has answered."""


async def watch() -> None:
    """Looks for servers at the start and then at intervals, forever."""
    while True:
        await look()
        await asyncio.sleep(LOOK_SECONDS)


async def look(*, again: bool = False) -> None:
    """Looks for servers at all addresses in the settings, except Leaf's own.

    Args:
        again: Whether addresses at which another program has answered are tried again.
    """
    settings = config.current()
    own = {f"{host}:{port}" for host in ("localhost", "127.0.0.1") for port in (settings.port, settings.backend_port)}
    if again:
        _strangers.clear()
    wanted = [one for one in settings.model_servers.items() if one[0] not in own | _strangers]
    if wanted:
        async with _http() as http:
            await asyncio.gather(*(_look(http, address, url) for address, url in wanted))


async def prepare(model_id: str) -> None:
    """Looks up the context of a local model before it answers, because the server may have loaded it with another
    context.

    Ollama cuts prompts that are longer than the context of the loaded model, without an error. A server that does not
    answer causes no error here, because the request to the model will report it.
    """
    address, name = local.parts(model_id)
    url = config.current().model_servers.get(address)
    if url is None:
        return
    async with _http() as http:
        await _look(http, address, url)
        found = local.model(model_id)
        if found is None or found.context_tokens is not None or not await _ollama_models(http, url):
            return
        # A request without a prompt loads the model.
        if await _json(http, f"{url}/api/generate", {"model": name, "stream": False}, seconds=LOAD_SECONDS) is not None:
            await _look(http, address, url)


def _http() -> httpx.AsyncClient:
    return httpx.AsyncClient(trust_env=False, verify=_certificates(), headers={"Accept-Encoding": "identity"})


@cache
def _certificates() -> ssl.SSLContext:
    """The TLS certificates. They are loaded once, because that blocks the event loop for 40 ms."""
    return httpx.create_ssl_context(trust_env=False)


async def _look(http: httpx.AsyncClient, address: str, url: str) -> None:
    known = {one.address: one for one in local.found()}.get(address)
    try:
        server = await _server(http, address, url)
    except httpx.HTTPError:
        if known is not None and known.answers:
            log.warning("the model server at %s (%s) does not answer any more", address, known.label)
        local.mark_unreachable(address)
        return
    if server is None:
        if known is None:
            _strangers.add(address)
        local.mark_unreachable(address)
        return
    if known is None or not known.answers:
        log.info("found %s at %s with %d models", server.label, address, len(server.models))
    local.remember(server)


async def _server(http: httpx.AsyncClient, address: str, url: str) -> Server | None:
    """The server at an address; None if another program answers there.

    Raises:
        httpx.HTTPError: Nothing answers there.
    """
    if (tags := await _ollama_models(http, url)) is not None:
        loaded = {str(one.get("model")): one for one in _rows(await _json(http, f"{url}/api/ps"), "models")}
        shown = await asyncio.gather(*(_ollama_model(http, url, name, loaded.get(name, {})) for name in tags))
        return Server(address, _OLLAMA, tuple(one for one in shown if one is not None))
    rows = _rows(await _json(http, f"{url}/api/v0/models"), "data")
    if rows and all("type" in row for row in rows):
        chats = [row for row in rows if row["type"] in {"llm", "vlm"}]
        return Server(address, _LM_STUDIO, tuple(_lm_studio_model(row) for row in chats if _is_name(row.get("id"))))
    listed = await _json(http, f"{url}/v1/models")
    if not isinstance(listed, dict) or listed.get("object") != "list":
        return None
    rows = [row for row in _rows(listed, "data") if _is_name(row.get("id"))]
    owner = next((_OWNERS[one] for row in rows if (one := str(row.get("owned_by"))) in _OWNERS), None)
    context = await _llama_context(http, url) if owner == "llama.cpp" else None
    models = tuple(Model(str(row["id"]), _positive(row.get("max_model_len")) or context) for row in rows)
    return Server(address, owner or local.USUAL.get(address, "OpenAI-compatible"), models)


async def _ollama_models(http: httpx.AsyncClient, url: str) -> list[str] | None:
    """The names of the models of an Ollama server; None if it is another program."""
    tags = await _json(http, f"{url}/api/tags")
    if not isinstance(tags, dict) or not isinstance(tags.get("models"), list):
        return None
    return [str(row["model"]) for row in _rows(tags, "models") if _is_name(row.get("model"))]


async def _ollama_model(http: httpx.AsyncClient, url: str, name: str, loaded: dict[str, Any]) -> Model | None:
    """A model of Ollama; None if it cannot write answers.

    Args:
        http: The client.
        url: The server.
        name: The model.
        loaded: Its entry in `/api/ps`; empty if it is not loaded. The context there takes precedence.
    """
    shown = await _json(http, f"{url}/api/show", {"model": name})
    facts: dict[str, Any] = shown if isinstance(shown, dict) else {}
    skills = facts.get("capabilities")
    if isinstance(skills, list) and "completion" not in skills:
        return None
    context = _positive(loaded.get("context_length")) or _num_ctx(str(facts.get("parameters") or ""))
    if not isinstance(skills, list):
        return Model(name, context)
    return Model(name, context, "tools" in skills, "vision" in skills)


def _lm_studio_model(row: dict[str, Any]) -> Model:
    skills = row.get("capabilities")
    calls_tools = "tool_use" in skills if isinstance(skills, list) and skills else None
    kind = row.get("type")
    sees = kind == "vlm" if isinstance(kind, str) else None
    return Model(str(row["id"]), _positive(row.get("loaded_context_length")), calls_tools, sees)


async def _llama_context(http: httpx.AsyncClient, url: str) -> int | None:
    """The context of one request at a llama.cpp server, which divides its whole context among its slots."""
    props = await _json(http, f"{url}/props")
    usual = props.get("default_generation_settings") if isinstance(props, dict) else None
    return _positive(usual.get("n_ctx")) if isinstance(usual, dict) else None


async def _json(
    http: httpx.AsyncClient, url: str, body: dict[str, Any] | None = None, *, seconds: float = _ANSWER_SECONDS
) -> Any:
    """The JSON of an address; None for other answers and for answers that are too long.

    Raises:
        httpx.HTTPError: Nothing answers there.
    """
    method = "GET" if body is None else "POST"
    read = bytearray()
    try:
        async with asyncio.timeout(seconds), http.stream(method, url, json=body, timeout=None) as response:
            if response.status_code != 200:
                return None
            # A packed answer, which was not asked for, stays packed: a few bytes of it could unpack to any size.
            async for piece in response.aiter_raw():
                read += piece
                if len(read) > _MOST_BYTES:
                    return None
    except TimeoutError:
        raise httpx.ReadTimeout(f"{url} does not answer") from None
    with suppress(ValueError, RecursionError):
        return json.loads(read)
    return None


def _rows(listed: Any, key: str) -> list[dict[str, Any]]:
    rows = listed.get(key) if isinstance(listed, dict) else None
    return [row for row in rows if isinstance(row, dict)][:_MOST_MODELS] if isinstance(rows, list) else []


def _is_name(value: object) -> bool:
    """Whether a value can be the name of a model in an id."""
    return isinstance(value, str) and 0 < len(value) <= _NAME_CHARACTERS and not any(map(str.isspace, value))


def _positive(value: object) -> int | None:
    """The value if it is a positive integer; else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _num_ctx(parameters: str) -> int | None:
    """The context among the parameters of an Ollama model, which are a name and a value on each line."""
    found = re.search(r"^[ \t]*num_ctx[ \t]+(\d+)\s*$", parameters, re.MULTILINE)
    return int(found[1]) if found else None
