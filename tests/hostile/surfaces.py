"""Every way by which a text comes into Leaf or is worked on: the bench sends hostile texts through each."""

import asyncio
import io
import json
import zipfile
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4
from xml.sax.saxutils import escape

import httpx

from leaf.services import chats
from tests.hostile import KINDS, VALUES
from tests.hostile.system import System
from tests.uploads import TYPES

MESSAGE = 32_000
VISITOR_MESSAGE = 8_000
OUTPUT = 300_000
UPLOAD = 19_000_000
BODY = 9_900_000
SOME = ("open brackets", "backticks", "quotation marks", "deep lists", "tags", "letters", "line ends", "rows of tables")
"""For surfaces whose texts are so large that the whole set takes hours."""

Attack = Callable[[System, str, str], Awaitable[None]]


@dataclass(frozen=True)
class Surface:
    """One way in: the attack sends one text through it, by its name and its content, and waits until that is done."""

    characters: int
    attack: Attack
    kinds: Collection[str] = tuple(KINDS)


SURFACES: dict[str, Surface] = {}


def surface(name: str, characters: int, kinds: Collection[str] = tuple(KINDS)) -> Callable[[Attack], Attack]:
    """Adds a surface."""

    def add(attack: Attack) -> Attack:
        SURFACES[name] = Surface(characters, attack, kinds)
        return attack

    return add


async def _asked(system: System, body: dict[str, Any]) -> str:
    """Asks, reads the answer to its end, and returns the chat."""
    async with system.http.stream("POST", "/api/chat", json=body) as answer:
        chat = answer.headers.get("x-leaf-chat-id", "")
        async for _ in answer.aiter_bytes():
            pass
    return chat


@surface("message of a member", MESSAGE)
async def _message(system: System, _name: str, text: str) -> None:
    await _asked(system, {"message": text})


@surface("message over the limit", BODY, SOME)
async def _long_message(system: System, _name: str, text: str) -> None:
    await system.http.post("/api/chat", json={"message": text})


@surface("message of a site visitor", VISITOR_MESSAGE)
async def _visitor_message(system: System, _name: str, text: str) -> None:
    chat = (await system.page.post("/api/site/chats", json={})).json()["id"]
    async with system.page.stream("POST", f"/api/site/chats/{chat}/messages", json={"content": text}) as answer:
        async for _ in answer.aiter_bytes():
            pass
    await system.page.get(f"/api/site/chats/{chat}")
    await system.page.delete(f"/api/site/chats/{chat}")


@surface("message of a guest", MESSAGE)
async def _guest_message(system: System, _name: str, text: str) -> None:
    await system.events(system.guest, "/guest", [("chat____chat_state.send", {"chat": "guest", "text": text})])


@surface("queued message of a page", MESSAGE)
async def _page_message(system: System, _name: str, text: str) -> None:
    chat = await chats.new(system.ada)
    event = ("chat____chat_state.send", {"chat": str(chat), "text": text})
    await system.events(system.http, f"/chat/{chat}", [event, event])


@surface("events of a page's socket", 450_000)
async def _events(system: System, _name: str, text: str) -> None:
    sent = [
        ("search____search_state.search", {"query": text}),
        ("account____account_state.rename", {"form": {"name": text}}),
        ("account____account_state.instruct", {"form": {"instruction": text}}),
        ("chat____chat_state.send", {"chat": text, "text": text}),
        ("sidebar____sidebar_state.rename", {"chat_id": text, "title": text}),
        ("sites____sites_state.create", {"form": {"name": text}}),
        ("keys____key_state.create", {"form": {"name": text}}),
        (text, {text: text}),
    ]
    await system.events(system.http, "/settings", sent)


def _files(name: str, text: str) -> dict[str, bytes]:
    """A text as files of all kinds."""
    small = text[:MESSAGE]
    paragraphs = "".join(f"<w:p><w:r><w:t>{escape(small[at : at + 80])}</w:t></w:r></w:p>" for at in range(0, 4000, 80))
    return {
        "a.txt": text.encode(),
        "a.md": text.encode(),
        "a.csv": text.encode(),
        "a.html": text.encode(),
        "a.json": text.encode(),
        "a.pdf": b"%PDF-1.7\n" + text.encode(),
        "a.docx": _packed("word/document.xml", _WORD.format(paragraphs + escape(text))),
        "a.xlsx": _packed("xl/workbook.xml", escape(text)),
        "a.pptx": _packed("ppt/presentation.xml", escape(text)),
        f"{name}.zip": _packed("a", text * 4),
    }


_WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'


def _packed(part: str, content: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr(part, content)
    return made.getvalue()


@surface("uploads of a member", UPLOAD // 2, SOME)
async def _uploads(system: System, name: str, text: str) -> None:
    for file, data in (await asyncio.to_thread(_files, name, text)).items():
        await system.upload(file, data[:UPLOAD])


@surface("small uploads of a member", 900_000)
async def _small_uploads(system: System, name: str, text: str) -> None:
    chat = await chats.new(system.ada)
    for file in ("a.txt", "a.md", "a.csv"):
        await system.upload(file, text.encode()[:999_000], chat)
    await system.http.get(f"/api/chats/{chat}/files.zip")


@surface("upload of a site visitor", UPLOAD // 4, SOME)
async def _visitor_upload(system: System, _name: str, text: str) -> None:
    chat = (await system.page.post("/api/site/chats", json={})).json()["id"]
    with suppress(httpx.TransportError):
        await system.page.post(f"/api/site/chats/{chat}/files", files={"file": ("a.txt", text.encode())})


@surface("names of files", 60_000)
async def _names(system: System, _name: str, text: str) -> None:
    chat = await chats.new(system.ada)
    body = b'--x\r\ncontent-disposition: form-data; name="file"; filename="%s"\r\n\r\na\r\n--x--\r\n' % text.encode()
    headers = {"content-type": "multipart/form-data; boundary=x"}
    await system.http.post(f"/api/chats/{chat}/files", content=body, headers=headers)
    await system.http.get(f"/api/chats/{chat}/files/{quote(text[:15_000])[:15_000]}")


@surface("multipart bodies", UPLOAD, SOME)
async def _multipart(system: System, _name: str, text: str) -> None:
    body = b"--x\r\ncontent-disposition: form-data; name=" + text.encode()[:UPLOAD]
    headers = {"content-type": "multipart/form-data; boundary=x"}
    with suppress(httpx.TransportError):
        await system.http.post(f"/api/chats/{await chats.new(system.ada)}/files", content=body, headers=headers)


@surface("JSON bodies", BODY, SOME)
async def _json(system: System, _name: str, text: str) -> None:
    headers = {"content-type": "application/json"}
    inside = text.encode()[:BODY]
    for body in (inside, b'{"message":"a","x":' + b"[" * 500 + b"]" * 500 + b"}"):
        await system.http.post("/api/chat", content=body, headers=headers)
        await system.page.post("/api/site/chats", content=body[:60_000], headers=headers)


@surface("many values in JSON bodies", BODY, tuple(VALUES))
async def _values(system: System, name: str, _text: str) -> None:
    headers = {"content-type": "application/json"}
    piece = VALUES[name]
    values = (piece * ((BODY - 200) // len(piece))).rstrip(",")
    for start, end in (
        ('{"message":"a","further":[', "]}"),
        ('{"messages":[', "]}"),
        ('{"messages":[{"role":"user","parts":[', "]}]}"),
        ('{"message":"a","clientTools":[', "]}"),
    ):
        await system.http.post("/api/chat", content=f"{start}{values}{end}".encode(), headers=headers)
    for path in ("/api/chats", f"/api/hooks/{uuid4()}"):
        await system.http.post(path, content=f'{{"title":[{values}],"result":[]}}'.encode(), headers=headers)


@surface("headers and query strings", 15_000)
async def _headers(system: System, _name: str, text: str) -> None:
    written = text.encode("latin-1", "replace").replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"").strip()
    for header in ("accept-language", "cookie", "authorization", "user-agent", "last-event-id", "if-none-match",
                   "x-forwarded-for", "referer", "idempotency-key"):  # fmt: skip
        await system.http.get("/api/chats", headers={header: written})  # pyright: ignore[reportArgumentType]
    for path in ("/api/search?q=", "/api/chats?after=", "/api/drive/names?begun=", "/auth/google/start?next=",
                 "/auth/google/callback?state=a&code=", "/auth/google/callback?error=", "/widget-demo?key=", "/share/",
                 "/api/chats/", "/api/drive/files/", "/api/drive/folders?url=",
                 f"/api/chats/{uuid4()}/pictures/", f"/api/chats/{uuid4()}/files/"):  # fmt: skip
        await system.http.get(f"{path}{quote(text)[:15_000]}")


@surface("titles", BODY // 10)
async def _titles(system: System, _name: str, text: str) -> None:
    chat = (await system.http.post("/api/chats", json={"title": text[:MESSAGE]})).json().get("id", uuid4())
    await system.http.patch(f"/api/chats/{chat}", json={"title": text})


@surface("projects", BODY // 10)
async def _projects(system: System, _name: str, text: str) -> None:
    made = await system.http.post("/api/projects", json={"name": f"a{text[:70]}", "instructions": text[:3_900].strip()})
    project = made.json().get("id", uuid4())
    await system.http.post("/api/projects", json={"name": text, "instructions": text})
    await system.http.patch(f"/api/projects/{project}", json={"name": text, "scope": {"types": [text]}})
    await system.http.get("/api/projects")
    await _asked(system, {"message": "What is it?", "projectId": f"{project}"})
    await system.http.delete(f"/api/projects/{project}")


@surface("ratings", MESSAGE)
async def _ratings(system: System, _name: str, text: str) -> None:
    chat = (await system.http.get(f"/api/chats/{await _asked(system, {'message': 'What is it?'})}")).json()
    answer = chat["messages"][-1]["id"]
    for comment in (text[:2_000], text):
        body = {"sentiment": "down", "comment": comment}
        await system.http.put(f"/api/messages/{answer}/feedback", json=body, headers={"user-agent": "a"})


@surface("search of chats", MESSAGE - 100)
async def _search(system: System, _name: str, text: str) -> None:
    await _asked(system, {"message": f"yakyak {text}"})
    for query in ("yakyak", text[:200]):
        await system.http.get("/api/search", params={"q": query})


async def _read_everywhere(system: System, chat: str) -> None:
    """Exports, the API, a public page and its preview of a chat, and a search in it."""
    for path in ("", "/export.md", "/export.json", "/export.zip"):
        await system.http.get(f"/api/chats/{chat}{path}")
    link = (await system.http.post(f"/api/chats/{chat}/share", json={})).json()
    if "url" in link:
        await system.guest.get(f"/share/{link['url'].rpartition('/')[2]}")
    await system.http.get("/api/search", params={"q": "yakyak"})


@surface("output of a model, read everywhere", OUTPUT)
async def _output(system: System, name: str, _text: str) -> None:
    order = {"write": name, "characters": OUTPUT}
    await _read_everywhere(system, await _asked(system, {"message": f"yakyak {json.dumps(order)}"}))


@surface("thinking of a model", OUTPUT)
async def _thinking(system: System, name: str, _text: str) -> None:
    await _asked(system, {"message": json.dumps({"think": name, "characters": OUTPUT, "pace": 1})})


@surface("arguments of a tool", OUTPUT // 3)
async def _arguments(system: System, name: str, _text: str) -> None:
    argument = f"hostile:{name}:{OUTPUT // 3}"
    for tool, arguments in (
        ("search_files", {"queries": [argument]}),
        ("write_file", {"path": "a.md", "content": argument}),
        ("compute", {"files": [argument], "query": argument, "chart": {"kind": "bar", "x": argument, "y": argument}}),
        (argument, {"file": argument}),
    ):
        await _asked(system, {"message": json.dumps({"call": tool, "arguments": arguments})})


@surface("result of an MCP tool", 1_000_000)
async def _result(system: System, name: str, _text: str) -> None:
    order = {"call": "quarry_dig", "arguments": {"name": name, "characters": 1_000_000}}
    await _read_everywhere(system, await _asked(system, {"message": json.dumps(order)}))


@surface("document of a Drive", 2_000_000)
async def _drive(system: System, name: str, _text: str) -> None:
    found = (await system.http.get("/api/drive/names", params={"begun": name[:40]})).json()
    for file in found.get("files", [])[:1]:
        await system.http.get(f"/api/drive/files/{file['id']}")
        for further in ({}, {"find": "word notice “a b”"}):
            order = {"call": "read_drive_file", "arguments": {"file": file["id"], **further}}
            await _asked(system, {"message": json.dumps(order)})


@surface("result of a page's tool", 190_000)
async def _page_tool(system: System, _name: str, text: str) -> None:
    tool = {"name": "look", "description": text[:1000], "inputSchema": {"type": "object", "properties": {}}}
    order = json.dumps({"call": "look", "arguments": {}})
    chat = str(uuid4())
    await _asked(system, {"chatId": chat, "message": order, "clientTools": [tool]})
    message = (await system.http.get(f"/api/chats/{chat}")).json()["messages"][-1]
    call = next((part for part in message["parts"] if "toolCallId" in part), None)
    if call is None:
        return
    path = f"/api/messages/{message['id']}/calls/{call['toolCallId']}/claim"
    token = (await system.http.post(path, json={"tab": "a"})).json().get("hookToken", "")
    await system.http.post(f"/api/hooks/{token}", json={"toolCallId": call["toolCallId"], "result": {"text": text}})
    async with system.http.stream("GET", f"/api/chat/{chat}/stream") as answer:
        async for _ in answer.aiter_bytes():
            pass


@surface("import of a chat of Leaf", 6_000_000, SOME)
async def _import(system: System, _name: str, text: str) -> None:
    at = "2026-01-01T00:00:00Z"
    head = {"format": "leaf-chat", "version": 1, "title": text[:4000], "created_at": at, "updated_at": at}
    parts = [{"type": "text", "text": text[place : place + 900_000]} for place in range(0, len(text), 900_000)]
    question = {"id": "q", "parent": None, "role": "user", "at": at, "parts": parts[:1]}
    answer = {"id": "a", "parent": "q", "role": "assistant", "at": at, "parts": parts}
    await system.imports(json.dumps({**head, "messages": [question, answer]}).encode())


@surface("import of a chat of ChatGPT", 6_000_000, SOME)
async def _import_chatgpt(system: System, _name: str, text: str) -> None:
    def node(name: str, parent: str | None, role: str) -> dict[str, Any]:
        message = {"id": name, "author": {"role": role}, "content": {"content_type": "text", "parts": [text]},
                   "create_time": 1_700_000_000.0, "metadata": {}}  # fmt: skip
        return {"id": name, "message": message, "parent": parent, "children": []}

    mapping = {"q": node("q", None, "user"), "a": node("a", "q", "assistant")}
    chat = {"title": text[:4000], "create_time": 1_700_000_000.0, "update_time": 1_700_000_000.0, "mapping": mapping}
    await system.imports(json.dumps([chat]).encode())


@surface("import of anything", 19_000_000, SOME)
async def _import_anything(system: System, _name: str, text: str) -> None:
    await system.imports(text.encode()[:19_000_000])


@surface("import of many values", 19_000_000, tuple(VALUES))
async def _import_values(system: System, name: str, _text: str) -> None:
    piece = VALUES[name]
    values = (piece * (18_900_000 // len(piece))).rstrip(",")
    await system.imports(f'[{{"mapping":{{}},"x":[{values}]}}]'.encode())
