"""Each provider that Leaf knows, as it is built from its settings alone, asked over HTTP."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic_ai import Agent
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf import config, errors
from leaf.agent import models
from tests.integration.test_sandbox_model_wire import serve

PROJECT = "leaf-tests"
AUDIENCE = "https://oauth2.googleapis.com/token"
"""The addresses for which Google's libraries sign, wherever the endpoint is."""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


class Vertex:
    """Google's token endpoint, and Vertex AI's address of Anthropic's models in front of the sandbox's."""

    def __init__(self, claude: str) -> None:
        self.claude = claude
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.models: list[str] = []
        self.token = "ya29.vertex-token"
        self.url = ""

    async def give_token(self, request: Request) -> Response:
        form = await request.form()
        # Google's answer to a JWT that the account's own key has not signed would be 400.
        jwt.decode(str(form["assertion"]), self.key.public_key(), algorithms=["RS256"], audience=AUDIENCE)
        return JSONResponse({"access_token": self.token, "expires_in": 3600, "token_type": "Bearer"})

    async def predict(self, request: Request) -> Response:
        if request.headers["authorization"] != f"Bearer {self.token}":
            return JSONResponse({"error": {"code": 401}}, status_code=401)
        body: dict[str, Any] = await request.json()
        assert body.pop("anthropic_version")
        model = request.path_params["model"].partition(":")[0]
        self.models.append(f"{request.path_params['project']}/{request.path_params['region']}/{model}")
        async with httpx.AsyncClient() as client:
            answer = await client.post(
                f"{self.claude}/v1/messages", json=body | {"model": model}, headers={"x-api-key": "any"}
            )
        kept = {"content-type": answer.headers["content-type"]}
        return Response(answer.content, status_code=answer.status_code, headers=kept)

    def routes(self) -> list[Route]:
        path = "/v1/projects/{project}/locations/{region}/publishers/anthropic/models/{model}"
        return [Route("/token", self.give_token, methods=["POST"]), Route(path, self.predict, methods=["POST"])]

    def credentials(self) -> dict[str, str]:
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account", "project_id": PROJECT, "private_key_id": "1", "private_key": pem.decode(),
            "client_email": "leaf@leaf-tests.example", "client_id": "1", "token_uri": f"{self.url}/token",
        }  # fmt: skip


@pytest.fixture
def vertex(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vertex]:
    """Vertex AI, and a machine on which nothing is set but what Google's own libraries read."""
    vertex = Vertex(f"{base}/anthropic")
    listening = socket.create_server(("127.0.0.1", 0))
    vertex.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=vertex.routes()), log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    file = tmp_path / "account.json"
    file.write_text(json.dumps(vertex.credentials()))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    yield vertex
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture
async def built(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(config, "_current", None)
    yield
    await models.close()


async def said(model: str, **given: Any) -> str:
    config.install(config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:1", model=model, **given))
    agent = Agent(models.build(model))
    async with agent.run_stream("Hello") as answer:
        return str(await answer.get_output())


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("gateway:sandbox", {"ai_gateway_api_key": "k", "ai_gateway_base_url": "{base}/openai/v1"}),
        ("openai:sandbox", {"openai_api_key": "k", "openai_base_url": "{base}/openai/v1"}),
        ("openai-chat:sandbox", {"openai_api_key": "k", "openai_base_url": "{base}/openai/v1"}),
        ("anthropic:sandbox", {"anthropic_api_key": "k", "anthropic_base_url": "{base}/anthropic"}),
        (
            "openai-compatible:sandbox",
            {"openai_compatible_api_key": "k", "openai_compatible_base_url": "{base}/openai/v1"},
        ),
        ("ollama:sandbox", {"ollama_base_url": "{base}/openai/v1"}),
    ],
)
async def test_each_provider_is_asked_as_its_settings_say(base: str, model: str, given: dict[str, str]) -> None:
    """# 002-52"""
    assert "Sandbox model" in await said(model, **{name: value.format(base=base) for name, value in given.items()})


@pytest.mark.usefixtures("built")
async def test_anthropic_is_reached_through_vertex_with_googles_own_credentials(vertex: Vertex) -> None:
    """# 001-30"""
    text = await said(
        "anthropic-vertex:sandbox",
        anthropic_vertex_project_id=PROJECT,
        anthropic_vertex_base_url=f"{vertex.url}/v1",
        cloud_ml_region="us-east5",
    )
    assert "Sandbox model" in text
    assert vertex.models == [f"{PROJECT}/us-east5/sandbox"]


def test_a_model_of_no_provider_is_refused() -> None:
    with pytest.raises(errors.Unavailable, match="“nobody” is no provider"):
        models.build("nobody:x")
