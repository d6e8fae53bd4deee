"""Writes files in several formats. The bytes are reproducible: they contain no current time and no random id."""

import html
import io
import random
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any
from xml.sax.saxutils import escape

from sandbox import blocks, corpus, render

_ODF = "application/vnd.oasis.opendocument."
_MOMENT = (2026, 1, 5, 8, 0, 0)
_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
_SCAN_SCALE = 1.6
"""The resolution of scans in pixels per point, which is about 115 dpi."""


def document(suffix: str, markdown: str, *, day: date, sender: str, number: int) -> bytes:
    """A paper in the format that a suffix names. `scan.pdf` stands for a PDF that contains only an image.

    Args:
        suffix: The suffix of the file name.
        markdown: The text of the paper.
        day: The date of a mail.
        sender: The sender of a mail.
        number: The number of the paper, from which its variations are derived.
    """
    writers: dict[str, Callable[[], bytes]] = {
        "md": markdown.encode,
        "txt": lambda: (blocks.as_text(markdown) + "\r\n").encode("utf-8-sig" if number % 3 == 0 else "utf-8"),
        "html": lambda: _html(markdown),
        "eml": lambda: _mail(markdown, day, sender, number),
        "docx": lambda: render.docx(markdown),
        "pptx": lambda: render.pptx(_slides(markdown)),
        "pdf": lambda: render.pdf([markdown]),
        "odt": lambda: _odt(markdown),
    }
    writer = writers.get(suffix)
    return writer() if writer else scan(markdown, suffix, number)


def table(suffix: str, name: str, rows: Sequence[Sequence[str]]) -> bytes:
    """A table as CSV, as an Excel workbook or as an OpenDocument spreadsheet."""
    fixed = tuple(tuple(row) for row in rows)
    if suffix == "csv":
        return render.comma_separated(fixed)
    if suffix == "xlsx":
        return render.xlsx((corpus.Tab(name, fixed),))
    cells = "".join(f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in fixed)
    return _open_document(
        "spreadsheet", f'<table:table table:name="{escape(name)}">{cells}</table:table>'
    )  # fmt: skip


def _cell(text: str) -> str:
    value_type = "float" if text.replace(".", "", 1).isdigit() else "string"
    value = f' office:value="{text}"' if value_type == "float" else ""
    return (
        f'<table:table-cell office:value-type="{value_type}"{value}><text:p>{escape(text)}</text:p></table:table-cell>'
    )  # fmt: skip


def scan(markdown: str, suffix: str, number: int) -> bytes:
    """An image of the first page of a paper that looks like a scan: grey, slightly rotated, with specks."""
    import pypdfium2
    from PIL import Image, ImageDraw

    chance = random.Random(f"scan {number}")
    document = pypdfium2.PdfDocument(render.pdf([markdown]))
    drawn: Any = document[0]  # the type hints of pypdfium2 allow only integer scales
    page: Image.Image = drawn.render(scale=_SCAN_SCALE, grayscale=True).to_pil().convert("L")
    document.close()
    text = Image.eval(page, lambda level: 255 - level).getbbox() or (0, 0, *page.size)
    page = page.crop((0, 0, page.width, min(page.height, text[3] + 60)))
    page = page.rotate(chance.uniform(-0.5, 0.5), resample=Image.Resampling.BILINEAR, fillcolor=255)
    pen = ImageDraw.Draw(page)
    for _ in range(60):
        pen.point((chance.randrange(page.width), chance.randrange(page.height)), fill=chance.randrange(80, 200))
    out = io.BytesIO()
    if suffix == "png":
        page.save(out, "PNG")
    elif suffix == "jpg":
        page.save(out, "JPEG", quality=70)
    else:
        moment = datetime(*_MOMENT, tzinfo=UTC).timetuple()
        page.save(out, "PDF", resolution=72 * _SCAN_SCALE, creationDate=moment, modDate=moment)
    return out.getvalue()


def _html(markdown: str) -> bytes:
    lines = ['<!doctype html><html><head><meta charset="utf-8"><title>', "", "</title></head><body>"]
    for block in blocks.parse(markdown):
        tag = f"h{block.level}" if block.kind == "heading" else "p"
        lines[1] = lines[1] or html.escape(block.text)
        lines.append(f"<{tag}>{html.escape(block.text)}</{tag}>")
    return "\n".join([*lines, "</body></html>", ""]).encode()


def _mail(markdown: str, day: date, sender: str, number: int) -> bytes:
    from email.message import EmailMessage

    message = EmailMessage()
    message["From"] = sender
    message["To"] = "ada@sandbox.leaf.example"
    message["Date"] = format_datetime(datetime.combine(day, time(8 + number % 10, number % 60)))
    message["Message-ID"] = f"<{number}@northwind.example>"
    message["Subject"] = next(blocks.parse(markdown)).text
    message.set_content(blocks.as_text(markdown).replace("\r\n", "\n") + "\n", charset="utf-8", cte="quoted-printable")
    return message.as_bytes()


def _slides(markdown: str) -> str:
    return markdown.replace("\n## ", "\n---\n\n## ")


def _odt(markdown: str) -> bytes:
    body: list[str] = []
    for block in blocks.parse(markdown):
        if block.kind == "heading":
            body.append(f'<text:h text:outline-level="{block.level}">{escape(block.text)}</text:h>')
        else:
            body.append(f"<text:p>{escape(block.text)}</text:p>")
    return _open_document("text", "".join(body))


def _open_document(kind: str, body: str) -> bytes:
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMESPACES} office:version="1.3">'
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_ODF}{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    parts = {"mimetype": f"{_ODF}{kind}", "content.xml": content, "META-INF/manifest.xml": manifest}
    return zip_archive({name: text.encode() for name, text in parts.items()})


def zip_archive(parts: dict[str, bytes]) -> bytes:
    """A zip archive. Its first part is not compressed, as OpenDocument requires."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, content) in enumerate(parts.items()):
            kind = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content, kind)
    return out.getvalue()
