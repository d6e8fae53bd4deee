"""The process that parses files one by one: `python -m leaf.documents.isolation.child NICE`.

Files are not trusted, so the process has a memory limit, cannot write files, and ends with its parent.
"""

import base64
import ctypes
import gc
import os
import re
import signal
import sys
import threading
import time
from functools import cache
from typing import Any

import orjson

from leaf import USUAL_COLLECTION, comparison, documents, texts
from leaf.comparison import Edition
from leaf.documents import NoText, Unreadable, pdf_tables, pictures
from leaf.documents.isolation import wire
from leaf.documents.model import Line
from leaf.documents.tables import engine
from leaf.parts import request_body

MEMORY_BYTES = 3 * 1024**3
_CHECK_SECONDS = 2.0
_FOREIGN = re.compile(r"<(?:\w+:)?(?:image|feImage|use)\b", re.IGNORECASE)
"""Elements of SVG that can refer to files or addresses."""


def main() -> None:
    """Answers requests until the pipe closes."""
    _prepare()
    # Output of libraries goes to stderr, so that it cannot mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    wire.send(answers, b"ready")
    while True:
        try:
            request, data = wire.receive(sys.stdin.buffer, 2)
        except EOFError:
            return
        wire.send(answers, orjson.dumps(_answer(orjson.loads(request), data)))
        del request, data
        _give_memory_back()


def _answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    if "compute" in request or "compare" in request:
        # The work creates hundreds of thousands of cells and no cycles. Garbage collection would double the time.
        gc.disable()
        try:
            return _over_texts(request, orjson.loads(data))
        finally:
            gc.enable()
    try:
        if "sent" in request:
            return _essential(data)
        if "name" in request:
            found = documents.extract(data, request["name"], request["editable_bytes"])
            return {
                "kind": found.kind, "text": found.text, "places": found.places, "notes": found.notes,
                "read_only": found.read_only,
            }  # fmt: skip
        if "part" in request or "draw" in request:
            return {"picture": base64.b64encode(_picture(request, data)).decode()}
        if "tables" in request:
            parsed = documents.Parsed(*pdf_tables.read(data))
        else:
            limits = {name: request[name] for name in ("picture_seconds", "most_attachments") if name in request}
            parsed = documents.parse(data, request["kind"], **limits)
    except Unreadable as error:
        message = error.reason.as_data() if isinstance(error.reason, texts.Message) else None
        return {"unreadable": error.reason, "message": message, "no_text": isinstance(error, NoText)}
    segments = [one.body() for one in parsed.segments]
    return {"segments": segments, "notes": parsed.notes, "truncated": parsed.truncated}


def _over_texts(request: dict[str, Any], sent: Any) -> dict[str, Any]:
    """The result of a computation or comparison over texts that were parsed before."""
    if "compare" in request:
        return comparison.compare([Edition.from_body(one) for one in sent], request["on"])
    return engine.answer(request, sent)


def _picture(request: dict[str, Any], data: bytes) -> bytes:
    if "draw" in request:
        return _drawn(data.decode())
    if "quote" in request:
        return pictures.quoted(data, request["kind"], request["part"], request["quote"])
    return pictures.marked(data, request["kind"], request["part"], [Line(*one) for one in request["lines"]])


def _drawn(svg: str) -> bytes:
    import resvg_py

    if _FOREIGN.search(svg):
        # The library would open any file that these elements name.
        raise ValueError("a chart has no pictures and refers to nothing")
    if not _has_fonts():
        raise Unreadable(texts.english("refusals.no_fonts"))
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=3)


@cache
def _has_fonts() -> bool:
    """Whether the machine has any font. Without one, the library leaves out texts without an error."""
    import resvg_py

    empty, letter = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">{text}</text></svg>'
        for text in ("", "x")
    )
    return resvg_py.svg_to_bytes(svg_string=empty) != resvg_py.svg_to_bytes(svg_string=letter)


def _essential(data: bytes) -> dict[str, str]:
    try:
        return {"essential": request_body.essential(data).decode()}
    except request_body.Malformed as error:
        return {"malformed": str(error)}
    except request_body.TooMany:
        return {}


def _prepare() -> None:
    os.nice(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    gc.set_threshold(*USUAL_COLLECTION)
    try:
        import resource
    except ImportError:
        return
    for what, limit in (
        (resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        try:
            resource.setrlimit(what, (limit, limit))
        except (ValueError, OSError):
            continue


def _give_memory_back() -> None:
    """Returns freed memory to the system. After OCR, the process would otherwise keep 200 MB."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)


def end_with_parent() -> None:
    """Starts a thread that ends this process within seconds after its parent has ended."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(_CHECK_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
