"""A stand-in for model servers of one's own machine: it speaks their protocols over HTTP, and its model is a parrot.

The bodies have the form that the programs send: Ollama 0.12, LM Studio 0.3, llama.cpp (`llama-server`), and vLLM 0.11.
"""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Kind = Literal["ollama", "lm studio", "llama.cpp", "vllm"]
ANSWER = "The parrot has read this."


@dataclass
class Standin:
    """A running server: what it has, and what it was asked."""

    kind: Kind
    context: int = 32_768
    """Tokens that it sets aside for a request."""
    models: list[str] = field(default_factory=lambda: ["parrot:3b"])
    toolless: list[str] = field(default_factory=list[str])
    """Models that cannot call tools."""
    redirect: str = ""
    """The address to which it sends questions; empty to answer them."""
    loaded: list[str] = field(default_factory=list[str])
    """Models that Ollama has loaded."""
    asked: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    """Paths and bodies of all requests."""
    port: int = 0

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def respond(self, path: str, body: Any) -> tuple[int, Any]:
        """The status and body of an answer; a list of chunks is sent as server-sent events."""
        self.asked.append((path, body))
        if path == "/v1/models":
            return 200, {"object": "list", "data": [self._listed(name) for name in (*self.models, *self.toolless)]}
        if path == "/v1/chat/completions":
            return (307, {}) if self.redirect else self._completion(body)
        own = {
            "ollama": self._ollama,
            "lm studio": self._lm_studio,
            "llama.cpp": self._llama,
            "vllm": self._vllm,
        }
        found = own[self.kind](path, body)
        return (404, {"error": "not found"}) if found is None else found

    def _listed(self, name: str) -> dict[str, Any]:
        match self.kind:
            case "ollama":
                return {"id": name, "object": "model", "created": 1760000000, "owned_by": "library"}
            case "lm studio":
                return {"id": name, "object": "model", "owned_by": "organization_owner"}
            case "llama.cpp":
                meta = {"vocab_type": 2, "n_vocab": 151936, "n_ctx_train": 262144, "n_embd": 2560, "size": 2497281120}
                return {"id": name, "object": "model", "created": 1760000000, "owned_by": "llamacpp", "meta": meta}
            case "vllm":
                return {
                    "id": name, "object": "model", "created": 1760000000, "owned_by": "vllm", "root": name,
                    "parent": None, "max_model_len": self.context, "permission": [],
                }  # fmt: skip

    def _ollama(self, path: str, body: Any) -> tuple[int, Any] | None:
        every = [*self.models, *self.toolless]
        if path == "/api/tags":
            details = {"format": "gguf", "family": "qwen3", "parameter_size": "4.0B", "quantization_level": "Q4_K_M"}
            rows = [{"name": one, "model": one, "size": 2497293931, "details": details} for one in every]
            # A model for embeddings writes no answers.
            return 200, {"models": [*rows, {"name": "embedder:latest", "model": "embedder:latest", "details": details}]}
        if path == "/api/show":
            skills = ["completion"] if body["model"] in self.toolless else ["completion", "tools"]
            skills = ["embedding"] if body["model"] == "embedder:latest" else skills
            return 200, {
                "parameters": "temperature    0.6\ntop_k    20", "template": "{{ .Prompt }}", "capabilities": skills,
                "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 262144},
            }  # fmt: skip
        if path == "/api/ps":
            return 200, {"models": [{"name": n, "model": n, "context_length": self.context} for n in self.loaded]}
        if path == "/api/generate" and body["model"] in every:
            self.loaded.append(body["model"])
            return 200, {"model": body["model"], "response": "", "done": True, "done_reason": "load"}
        return None

    def _lm_studio(self, path: str, _body: Any) -> tuple[int, Any] | None:
        if path != "/api/v0/models":
            return None
        common = {"object": "model", "publisher": "parrots", "arch": "qwen3", "compatibility_type": "gguf"}
        rows: list[dict[str, Any]] = [
            {
                "id": name, **common, "type": "llm", "state": "loaded", "max_context_length": 262144,
                "loaded_context_length": self.context, "capabilities": ["tool_use"],
            }
            for name in self.models
        ]  # fmt: skip
        rows.append({"id": "embedder", **common, "type": "embeddings", "state": "not-loaded"})
        return 200, {"object": "list", "data": rows}

    def _vllm(self, _path: str, _body: Any) -> None:
        return None

    def _llama(self, path: str, _body: Any) -> tuple[int, Any] | None:
        if path != "/props":
            return None
        return 200, {"default_generation_settings": {"id": 0, "n_ctx": self.context, "params": {}}, "total_slots": 1}

    def _completion(self, body: Any) -> tuple[int, Any]:
        name, tokens = body["model"], len(json.dumps(body)) // 4
        if name in self.toolless and body.get("tools"):
            reason = f"{name} does not support tools"
            return 400, {"error": {"message": reason, "type": "api_error", "param": None, "code": None}}
        if name not in (*self.models, *self.toolless):
            return 404, self._unknown(name)
        if tokens > self.context and self.kind == "llama.cpp":
            message = f"request ({tokens} tokens) exceeds the available context size ({self.context} tokens)"
            return 400, {
                "error": {
                    "code": 400, "message": message, "type": "exceed_context_size_error", "n_prompt_tokens": tokens,
                    "n_ctx": self.context,
                }
            }  # fmt: skip
        words = [f"{word} " for word in ANSWER.split()]
        usage = {"prompt_tokens": tokens, "completion_tokens": len(words), "total_tokens": tokens + len(words)}
        head = {"id": "chatcmpl-1", "created": 1760000000, "model": name}
        if not body.get("stream"):
            message = {"role": "assistant", "content": ANSWER}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return 200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        chunks.append({"choices": [], "usage": usage})
        return 200, [{**head, "object": "chat.completion.chunk", **chunk} for chunk in chunks]

    def _unknown(self, name: str) -> Any:
        if self.kind == "ollama":
            reason = f'model "{name}" not found, try pulling it first'
            return {"error": {"message": reason, "type": "api_error", "param": None, "code": None}}
        reason = f"The model `{name}` does not exist."
        return {"error": {"message": reason, "type": "NotFoundError", "param": "model", "code": 404}}


@contextmanager
def running(kind: Kind, *, port: int = 0, **options: Any) -> Generator[Standin]:
    """A server on a port of loopback, by default a free one."""
    standin = Standin(kind, **options)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"null"))

        def _answer(self, body: Any) -> None:
            status, answer = standin.respond(self.path.partition("?")[0], body)
            events = isinstance(answer, list)
            lines = [f"data: {json.dumps(one)}\n\n" for one in answer] if events else [json.dumps(answer)]
            sent = "".join([*lines, "data: [DONE]\n\n"] if events else lines).encode()
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if events else "application/json")
            self.send_header("content-length", str(len(sent)))
            if status == 307:
                self.send_header("location", standin.redirect)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    standin.port = server.server_address[1]
    try:
        yield standin
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
