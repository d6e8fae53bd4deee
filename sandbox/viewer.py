"""The pages at the addresses in `webViewLink`. They show a document to the chosen account."""

from html import escape

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox import context, corpus, extract, files, pages, refusals
from sandbox.corpus import Item

_SHOWN_CHARS = 200_000
_INLINE = frozenset({corpus.PDF, "image/png", "image/jpeg", "image/gif", "image/webp"})


def routes() -> list[Route]:
    """The routes of the pages, one for each kind of item, and of the bytes of PDFs and images."""
    patterns = (
        "/file/d/{file_id}/view", "/document/d/{file_id}/edit", "/spreadsheets/d/{file_id}/edit",
        "/presentation/d/{file_id}/edit", "/forms/d/{file_id}/viewform", "/drive/folders/{file_id}",
    )  # fmt: skip
    return [
        *(Route(pattern, _show) for pattern in patterns),
        Route("/file/d/{file_id}/content", _content),
    ]


def _found(request: Request) -> tuple[files.View, Item] | Response:
    """The item of a request with the account's view; or a page to choose an account, or one that says "not found"."""
    account = context.signed_in(request)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if account is None:
        return pages.choose_account(here)
    sandbox = context.of(request)
    file_id = request.path_params["file_id"]
    key = request.query_params.get("resourcekey", "")
    view = files.View(sandbox, account, sandbox.corpus.items(), {file_id: key})
    try:
        return view, view.find(file_id)
    except refusals.DriveRefusal:
        body = (
            "<h1>This file does not exist, or you have no access to it</h1>"
            f'<p>You are signed in as {escape(account.email)}. <a href="/account">Use another account</a></p>'
        )
        return pages.page("Not found", body, status=404)


def _show(request: Request) -> Response:
    found = _found(request)
    if isinstance(found, Response):
        return found
    view, item = found
    if item.target is not None:
        target = view.items.get(item.target)
        missing = f"{view.sandbox.base_url}/file/d/{item.target}/view"
        return RedirectResponse(files.link("", target) if target else missing, 302)
    changed = files.timestamp(item.modified)
    body = (
        f"<small>{escape(view.account.email)} · {escape(item.mime_type)} · changed {changed}</small>"
        f"<h1>{escape(item.name)}</h1><article>{_body(view, item)}</article>"
    )
    return pages.page(item.name, body, wide=True)


def _body(view: files.View, item: Item) -> str:
    source = view.sandbox.corpus
    if item.is_folder:
        return _children(view, item)
    if not item.can_download:
        return "<p>The owner does not let this file be shown or downloaded here.</p>"
    if item.mime_type in {corpus.DOCUMENT, corpus.PRESENTATION}:
        return pages.markdown(source.markdown(item)[:_SHOWN_CHARS])
    if item.mime_type == corpus.SPREADSHEET:
        return "".join(f"<h2>{escape(tab.name)}</h2>{_table(tab.rows)}" for tab in source.tabs(item))
    if item.is_google:
        return "<p>This kind of file has no text to show.</p>"
    return _blob(view, item)


def _blob(view: files.View, item: Item) -> str:
    link = f"/file/d/{escape(item.id)}/content"
    try:
        path = view.sandbox.corpus.blob(item)
        text = extract.text(path, item.mime_type, item.name)
    except OSError:
        return "<p>This file cannot be read.</p>"
    if item.mime_type == corpus.PDF:
        return f'<p><a href="{link}">Open the PDF</a></p><pre>{escape(text[:_SHOWN_CHARS]) or "(no text)"}</pre>'
    if item.mime_type in _INLINE:
        return f'<img src="{link}" alt="{escape(item.name)}">'
    if item.mime_type == "text/markdown":
        return pages.markdown(text[:_SHOWN_CHARS])
    return f"<pre>{escape(text[:_SHOWN_CHARS])}</pre>"


def _table(rows: tuple[tuple[str, ...], ...]) -> str:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _children(view: files.View, folder: Item) -> str:
    inside = [
        item
        for item in view.items.values()
        if item.parent == folder.id and view.may_see(item) and not item.trashed and not item.resource_key
    ]
    inside.sort(key=lambda item: (not item.is_folder, item.name.casefold()))
    rows = "".join(f'<li><a href="{escape(files.link("", item))}">{escape(item.name)}</a></li>' for item in inside)
    return f'<ul class="plain">{rows}</ul>' if rows else "<p>This folder is empty.</p>"


def _content(request: Request) -> Response:
    found = _found(request)
    if isinstance(found, Response):
        return found
    view, item = found
    if item.mime_type not in _INLINE or not item.can_download:
        return pages.page("Not found", "<h1>There is nothing to show</h1>", status=404)
    # A file of a local folder must not run scripts on this origin.
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}
    if item.mime_type == corpus.PDF:
        # Chromium does not show a PDF inside a sandboxed document.
        headers["Content-Security-Policy"] = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
    path = view.sandbox.corpus.blob(item)
    return FileResponse(path, media_type=item.mime_type, headers=headers)
