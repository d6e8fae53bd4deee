"""The protocols of OpenAI, Anthropic and Google, with the stand-in model behind them.

The protocols are chat completions, responses, messages and generateContent. `GET /sandbox/model/requests` lists the
requests with the times of their answers. `POST /sandbox/model/hurry` makes the slow answers that are being written send
their rest at once.
"""

import time
from collections.abc import Mapping
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sandbox.providers import behaviours, wire
from sandbox.providers.anthropic import Messages
from sandbox.providers.chat_completions import ChatCompletions
from sandbox.providers.google_genai import GenerateContent
from sandbox.providers.log import KEPT_REQUESTS, Log
from sandbox.providers.responses import Responses
from sandbox.providers.server import Server, require_key

__all__ = ["routes"]


def routes(aliases: Mapping[str, str] = MappingProxyType({})) -> list[BaseRoute]:
    """The routes of the providers, for the root of the sandbox's server. Each call of this function creates a log.

    Args:
        aliases: The sandbox's models by further names. Libraries treat a model according to its name.
    """
    log = Log(maxlen=KEPT_REQUESTS)
    server = Server(log, aliases)

    async def requests(request: Request) -> Response:
        if request.method == "DELETE":
            log.clear()
            return Response(status_code=204)
        deltas = request.query_params.get("deltas") in {"1", "true"}
        return JSONResponse([entry.as_json(deltas=deltas) for entry in log])

    async def hurry(_: Request) -> Response:
        server.hurry()
        return Response(status_code=204)

    return [
        Route("/openai/v1/chat/completions", server.endpoint(ChatCompletions()), methods=["POST"]),
        Route("/openai/v1/responses", server.endpoint(Responses()), methods=["POST"]),
        Route("/anthropic/v1/messages", server.endpoint(Messages()), methods=["POST"]),
        Route("/google/{version}/models/{model}:{action}", server.endpoint(GenerateContent()), methods=["POST"]),
        Route("/openai/v1/models", _models, methods=["GET"]),
        Route("/sandbox/model/requests", requests, methods=["GET", "DELETE"]),
        Route("/sandbox/model/hurry", hurry, methods=["POST"]),
    ]


async def _models(request: Request) -> Response:
    try:
        require_key(request)
    except wire.Refused as refused:
        return JSONResponse(wire.OpenAI().error(refused), refused.status)
    created = int(time.time())
    listed = [
        {"id": name, "object": "model", "created": created, "owned_by": "leaf-sandbox"} for name in behaviours.models()
    ]
    return JSONResponse({"object": "list", "data": listed})
