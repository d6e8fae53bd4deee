"""Serves the editor, and passes its requests to Leaf on with a key that the browser never sees.

LEAF_URL=http://localhost:3000 LEAF_KEY=leaf_key_… python examples/editor/serve.py 8080

It speaks for one person. A product that has people of its own signs them in here, and has a key for each of them.
Needs httpx, starlette and uvicorn.
"""

import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

HERE = Path(__file__).parent
LEAF = httpx.AsyncClient(
    base_url=os.environ["LEAF_URL"],
    headers={"authorization": f"Bearer {os.environ['LEAF_KEY']}"},
    timeout=httpx.Timeout(30, read=120),
)
_ALLOWED = re.compile(
    r"POST /api/(?:chat|chat/[\w-]+/stop|messages/[\w-]+/calls/[\w-]+/claim|hooks/[\w.-]+)"
    r"|GET /api/(?:chat/[\w-]+/stream|chats/[\w-]+)",
    re.ASCII,
)
"""The routes that the page needs. No others: anybody who can open the page could use them with this key."""
_PASSED_ON = ("content-type", "cache-control", "x-workflow-run-id", "x-leaf-chat-id", "retry-after")


async def leaf(request: Request) -> Response:
    """Passes a request on, and its answer back while it comes."""
    if not _ALLOWED.fullmatch(f"{request.method} {request.url.path}"):
        return JSONResponse({"error": {"code": "not_found", "message": "This page does not use that."}}, 404)
    if request.method == "POST" and request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return JSONResponse({"error": {"code": "forbidden", "message": "Open the editor itself."}}, 403)
    asked = LEAF.build_request(
        request.method,
        request.url.path,
        content=await request.body(),
        headers={"content-type": "application/json"},
    )
    answer = await LEAF.send(asked, stream=True)

    async def body() -> AsyncIterator[bytes]:
        try:
            async for part in answer.aiter_raw():
                yield part
        finally:
            await answer.aclose()

    headers = {name: answer.headers[name] for name in _PASSED_ON if name in answer.headers}
    return StreamingResponse(body(), answer.status_code, headers)


app = Starlette(
    routes=[
        Route("/api/{path:path}", leaf, methods=["GET", "POST"]),
        Mount("/", StaticFiles(directory=HERE, html=True)),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8080, log_level="warning")
