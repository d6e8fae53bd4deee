"""Vectors of providers: one setting, and the address and key of their models."""

import base64
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jobs.library import vectors as vectors_job
from leaf import config, errors
from leaf.agent import embeddings, encoder, models


class Provider:
    """A server of vectors that speaks like OpenAI's and like Google's."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[tuple[str, str, int]] = []
        """The model, the key and the wanted length of each request."""
        self.length = encoder.DIMENSIONS
        self.status = 200

    async def openai(self, request: Request) -> Response:
        body: dict[str, Any] = await request.json()
        self.asked.append((body["model"], request.headers["authorization"].split()[-1], body["dimensions"]))
        vector: Any = [0.5] * self.length
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack(f"<{self.length}f", *vector)).decode()
        data = [{"object": "embedding", "index": n, "embedding": vector} for n in range(len(body["input"]))]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer = {"object": "list", "data": data, "model": body["model"], "usage": usage}
        return JSONResponse(answer, status_code=self.status)

    async def google(self, request: Request) -> Response:
        body: dict[str, Any] = await request.json()
        one = body["requests"][0]
        length = one.get("outputDimensionality") or one["embedContentConfig"]["outputDimensionality"]
        self.asked.append((one["model"].rpartition("/")[2], request.headers["x-goog-api-key"], length))
        return JSONResponse({"embeddings": [{"values": [0.5] * self.length} for _ in body["requests"]]})


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    provider = Provider()
    listening = socket.create_server(("127.0.0.1", 0))
    provider.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    routes = [
        Route("/v1/embeddings", provider.openai, methods=["POST"]),
        Route("/v1beta/models/{model}", provider.google, methods=["POST"]),
    ]
    running = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="critical", ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    yield provider
    running.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture
async def provider(server: Provider, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    """The server, as if it had not been asked."""
    monkeypatch.setattr(config, "_current", None)
    server.asked, server.length, server.status = [], encoder.DIMENSIONS, 200
    yield server
    await models.close()


def install(name: str, **given: str) -> None:
    config.install(config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:1", embeddings=name, **given))


@pytest.mark.parametrize(
    ("name", "key", "given"),
    [
        ("openai:small", "k", {"openai_api_key": "k", "openai_base_url": "{url}/v1"}),
        ("gateway:openai/small", "k", {"ai_gateway_api_key": "k", "ai_gateway_base_url": "{url}/v1"}),
        ("openai-compatible:small", "k", {"openai_compatible_api_key": "k", "openai_compatible_base_url": "{url}/v1"}),
        ("ollama:small", "ollama", {"ollama_base_url": "{url}/v1"}),
        ("google:small", "k", {"google_api_key": "k", "google_base_url": "{url}"}),
    ],
)
async def test_vectors_of_a_provider_are_one_setting(
    provider: Provider, name: str, key: str, given: dict[str, str]
) -> None:
    """Beside its key, which its models need as well. # 002-52"""
    install(name, **{field: value.format(url=provider.url) for field, value in given.items()})
    assert await embeddings.of_passages(["pears", "plums"]) == [[0.5] * encoder.DIMENSIONS] * 2
    made = await vectors_job.of_queries(["pears"])
    assert made is not None
    assert (made.model, list(map(list, made.vectors))) == (name, [[0.5] * encoder.DIMENSIONS])
    assert provider.asked == [(name.partition(":")[2], key, encoder.DIMENSIONS)] * 2


async def test_vectors_of_another_length_are_refused_with_their_length(provider: Provider) -> None:
    """The database has room for 512 numbers."""
    install("openai:small", openai_api_key="k", openai_base_url=f"{provider.url}/v1")
    provider.length = 768
    with pytest.raises(errors.Unavailable, match="vectors of 768 numbers; Leaf needs 512"):
        await embeddings.of_passages(["pears"])
    assert await vectors_job.of_queries(["pears"]) is None


async def test_a_provider_that_refuses_leaves_the_search_to_words(provider: Provider) -> None:
    install("openai:small", openai_api_key="k", openai_base_url=f"{provider.url}/v1")
    provider.status = 401
    assert await vectors_job.of_queries(["pears"]) is None
