"""`make gallery ONLY=doctor`: each cause for which a Drive fails, in the words and pictures of each surface.

The sandbox makes each failure by name. Settings with the check, a chat with a question, the administration page, the
API and the command line are asked; docs/gallery/doctor/README.md puts them side by side, with the time of the check.
`python -m tests.gallery.doctor CAUSE …` takes some causes alone.
"""

import argparse
import asyncio
import io
import json
import re
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from PIL import Image
from playwright.async_api import Error, Locator, Page, async_playwright, expect

from leaf.google import diagnosis
from leaf.google.diagnosis import CODES, ROWS, Cause
from sandbox import sample_drive
from tests import chromium
from tests.browser.product import ROOT, Product
from tests.browser.visitor import Visitor
from tests.gallery.browser import FLAGS
from tests.gallery.settings import SETTINGS
from tests.gallery.stage import NARROW, WIDE, Scheme, Stage, show

OUT: Final = ROOT / "docs" / "gallery" / "doctor"
CAUSES: Final = tuple(cause for cause, row in ROWS.items() if row.number)
OF_SEARCHES: Final = frozenset({Cause.PAGE_TOKEN, Cause.BAD_QUERY})
"""Causes of one search or listing."""
SHOWN: Final = frozenset({"lost", "trouble", "passing"})
"""The effects that every page shows."""
UNCONNECTED: Final = frozenset({*diagnosis.CONSENT, Cause.DECLINED, Cause.BOX_NOT_TICKED}) - {Cause.CLIENT_DELETED}
"""Causes that show while Drive is being connected."""
_DOCUMENT: Final = sample_drive.id_of("ada:/Contracts/Transport agreement – Halden Haulage", "doc")
_SHORTCUT: Final = sample_drive.id_of("ada:/Forecast 2026/Operating budget 2026", "shortcut")
_KEY: Final = "0-aBcDeFgHiJ"
_SEARCH: Final = "How much notice does the packaging agreement ask for?"
_SHOTS: Final[tuple[tuple[Scheme, tuple[int, int]], ...]] = (("light", WIDE), ("dark", NARROW))
_CHECK_MS: Final = 30_000
_ANSWERED_MS: Final = 150_000
"""An answer may wait for several calls that are tried again."""
_AS_NEW: Final = """
    UPDATE integrations SET status = 'active', diagnosis = NULL, status_reason = NULL, status_key = NULL,
        grant_expires_at = NULL RETURNING 1
"""
_OTHERS: Final = """
    WITH people AS (
        INSERT INTO users (email, name) SELECT 'other-' || n || '@example.org', 'Other' FROM generate_series(1, 2) n
        RETURNING id
    )
    INSERT INTO integrations (user_id, workspace_id, provider, status, access_token, refresh_token, scopes, diagnosis)
    SELECT p.id, i.workspace_id, i.provider, 'revoked', i.access_token, i.refresh_token, i.scopes,
        jsonb_build_object('cause', 'revoked', 'particulars', '{}'::jsonb, 'at', now())
    FROM people p CROSS JOIN (SELECT * FROM integrations LIMIT 1) i RETURNING 1
"""
"""Two further members whose grants were refused just now."""


_HEIGHT: Final = "() => Math.max(...[...document.querySelectorAll('main, main *')].map((one) => one.scrollHeight)) + 80"

_CUT_OFF: Final = """() => [...document.querySelectorAll('#main p, #main li, #main span, #main strong, #main button')]
    .filter((one) => one.textContent.trim() && one.getClientRects().length && !one.closest('.unseen, pre, nav'))
    .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1)
    .slice(0, 3).map((one) => one.textContent.trim().slice(0, 60)).join(' | ')"""
"""What reaches over the right edge of the window."""


@dataclass
class Seen:
    """What the surfaces have shown for a cause."""

    cause: str
    row: int
    said: dict[str, str] = field(default_factory=dict[str, str])
    """The text of each surface."""
    pictures: list[str] = field(default_factory=list[str])
    check_seconds: float | None = None
    """The time of the whole check over the API; None where there is no connection to check."""


class Gallery:
    """Asks all surfaces of a running Leaf, as one member who is its administrator."""

    def __init__(self, leaf: Product, ada: Visitor, folder: Path) -> None:
        self._leaf, self._ada, self._folder = leaf, ada, folder
        self._request = ada.context.request

    async def see(self, cause: Cause) -> Seen:
        """Lets Drive fail for a cause and asks every surface."""
        seen = Seen(cause, ROWS[cause].number)
        await self._forget_turns()
        if cause in UNCONNECTED:
            await self._ada.disconnect()
        async with self._failing(cause):
            if cause in UNCONNECTED:
                await self._connecting(seen, cause)
            else:
                await self._checked(seen, cause)
            command = asyncio.create_task(self._command())
            await self._chat(seen, cause)
            await self._api(seen, cause)
            seen.said["command line"] = await command
            await self._administration(seen)
        if cause in {*UNCONNECTED, Cause.OTHER_ACCOUNT}:
            await self._ada.disconnect()
            await self._close(await self._ada.connect())
        await self._leaf.query("DELETE FROM users WHERE email LIKE 'other-%%' RETURNING 1")
        await self._leaf.query(_AS_NEW)
        await self._leaf.query("DELETE FROM chat_sessions RETURNING 1")
        return seen

    @asynccontextmanager
    async def _failing(self, cause: Cause) -> AsyncGenerator[None]:
        address = f"{self._leaf.sandbox_url}/sandbox/failures"
        async with httpx.AsyncClient(trust_env=False) as sandbox:
            # The check tries other documents: the one that is asked about is the one that fails.
            one = {"file": _DOCUMENT} if ROWS[cause].effect == "file" and cause not in OF_SEARCHES else {}
            (await sandbox.post(f"{address}/{cause}", params=one)).raise_for_status()
            try:
                if cause in {Cause.TESTING_EXPIRED, Cause.OTHER_ACCOUNT}:
                    await self._ada.disconnect()
                    await self._close(await self._ada.connect())
                if cause is Cause.REVOKED_FOR_MANY:
                    await self._leaf.query(_OTHERS)
                # Otherwise the access would last for up to an hour.
                await self._leaf.query("UPDATE integrations SET token_expires_at = now() RETURNING 1")
                yield
            finally:
                (await sandbox.delete(address)).raise_for_status()

    async def _connecting(self, seen: Seen, cause: Cause) -> None:
        """Goes to Google to connect, and comes back as a person does."""
        page = await self._ada.open("/settings/integrations")
        await page.get_by_role("button", name="Connect", exact=True).click()
        if cause in {Cause.DECLINED, Cause.BOX_NOT_TICKED}:
            await self._ada.allow(page)
            await expect(page.locator("section.card")).to_be_visible()
            notice = page.locator("[role=alert], [role=status]").first
            seen.said["notice after Google"] = await notice.inner_text()
        else:
            await page.wait_for_url(lambda url: url.startswith(self._leaf.sandbox_url))
            seen.said["page of Google"] = await page.locator("body").inner_text()
            await page.goto(f"{self._leaf.url}/settings/integrations")
            code = CODES[cause]
            details = page.locator(".cards details").filter(has=page.locator("summary", has_text=code)).first
            await details.locator("summary").first.click()
        await self._settings(seen, page)

    async def _checked(self, seen: Seen, cause: Cause) -> None:
        page = await self._ada.open("/settings/integrations")
        await page.get_by_role("button", name="Check my Drive").click()
        await expect(
            page.locator(".doctor-check .doctor-failed, .doctor-check .doctor-noted, .doctor-check .doctor-passed")
        ).not_to_have_count(0)
        await expect(page.get_by_role("button", name="Copy the result")).to_be_visible(timeout=_CHECK_MS)
        if ROWS[cause].effect in SHOWN:
            await expect(page.locator("section.card .state.bad")).to_be_visible()
        await self._settings(seen, page)

    async def _settings(self, seen: Seen, page: Page) -> None:
        seen.said["settings"] = await _unfolded_text(page.locator(".cards"))
        await self._shoot(seen, page, "settings", whole=True)
        await self._close(page)

    async def _chat(self, seen: Seen, cause: Cause) -> None:
        chat = await self._ada.new_chat()
        await chat.ask(self._question(cause))
        live = chat.page.locator(".message.answer.live")
        await expect(live).to_have_attribute("data-status", re.compile("completed|error"), timeout=_ANSWERED_MS)
        steps = chat.answer.locator("details.steps > summary")
        if await steps.count() and not await chat.answer.locator("details.steps[open]").count():
            await steps.first.click()
        seen.said["chat: answer"] = await _unfolded_text(chat.answer)
        banners = chat.page.locator(".banner.warning")
        if cause in UNCONNECTED or ROWS[cause].effect in SHOWN:
            await expect(banners.first).to_be_visible()
        seen.said["chat: banner"] = "\n".join(await banners.all_inner_texts()) or "(none)"
        await self._shoot(seen, chat.page, "chat")
        await self._close(chat.page)

    def _question(self, cause: Cause) -> str:
        link = f"{self._leaf.sandbox_url}/file/d/{_DOCUMENT}/view"
        match cause:
            case Cause.RESOURCE_KEY:
                return f"What does this say about notice? {link}?resourcekey={_KEY}"
            case Cause.SHORTCUT_TARGET:
                return f"What is the budget for packaging? {self._leaf.sandbox_url}/file/d/{_SHORTCUT}/view"
            case _ if ROWS[cause].effect == "file" and cause not in OF_SEARCHES:
                return f"What does this say about notice? {link}"
            case _:
                return _SEARCH

    async def _api(self, seen: Seen, cause: Cause) -> None:
        await self._forget_turns()
        base = f"{self._leaf.url}/api"
        begun = time.monotonic()
        check = await self._request.post(f"{base}/integrations/google_drive/check")
        if check.ok:
            seen.check_seconds = round(time.monotonic() - begun, 2)
        seen.said["API: check"] = _indented(await check.json())
        seen.said["API: integrations"] = _indented(await (await self._request.get(f"{base}/integrations")).json())
        is_file = ROWS[cause].effect == "file" and cause not in OF_SEARCHES
        file = _SHORTCUT if cause is Cause.SHORTCUT_TARGET else _DOCUMENT
        keyed = f"?resource_key={_KEY}" if cause is Cause.RESOURCE_KEY else ""
        path = f"/drive/files/{file}{keyed}" if is_file else "/drive/folders?url=root"
        answer = await (await self._request.get(f"{base}{path}", timeout=60_000)).json()
        shown = answer if "error" in answer else {name: answer[name] for name in ("reason", "name") if name in answer}
        seen.said["API: a call"] = f"GET /api{path}\n{_indented(shown)}"

    async def _command(self) -> str:
        """`python -m leaf doctor` as an operator runs it on the same machine."""
        command = [sys.executable, "-m", "leaf", "doctor", "--member", "ada@sandbox.leaf.example"]
        run = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=self._leaf.environment(),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, said = (one.decode() for one in await run.communicate())
        return f"{out}(exit status {run.returncode})" if out else f"{said}(exit status {run.returncode})"

    async def _administration(self, seen: Seen) -> None:
        page = await self._ada.open("/admin")
        await expect(page.get_by_role("heading", name="Administration")).to_be_visible()
        await expect(page.locator("#main table").first).to_be_attached()
        alerts = page.locator("ul.alerts li")
        seen.said["administration"] = "\n".join(await alerts.all_inner_texts()) or "(no alert)"
        await self._close(page)

    async def _forget_turns(self) -> None:
        """Somebody who asks all surfaces at once checks more often than a person may, and meets each bug by itself."""
        import redis.asyncio

        sockets = self._leaf.directory / "run" / "redis" / "redis.sock"
        async with redis.asyncio.Redis(unix_socket_path=str(sockets)) as client:
            for pattern in ("leaf:rate:{doctor:*", "leaf:drive:bugs:*"):
                async for key in client.scan_iter(pattern):
                    await client.delete(key)

    async def _shoot(self, seen: Seen, page: Page, surface: str, *, whole: bool = False) -> None:
        for scheme, size in _SHOTS:
            await show(page, scheme, size)
            if surface == "chat":
                await page.locator(".message.answer.live").evaluate("one => one.scrollIntoView({block: 'end'})")
            if whole:
                # Its frame scrolls, not the window.
                height = int(await page.evaluate(_HEIGHT))
                await show(page, scheme, (size[0], max(height, size[1])))
            data = await page.screenshot(animations="disabled", caret="hide")
            name = f"{seen.row:02}-{seen.cause}-{surface}-{size[0]}.webp"
            with Image.open(io.BytesIO(data)) as picture:
                picture.convert("RGB").save(self._folder / name, "WEBP", quality=82)
            seen.pictures.append(name)
            if cut := await page.evaluate(_CUT_OFF):
                seen.said["too wide"] = f"{surface}, {size[0]} px: {cut}"

    async def _close(self, page: Page) -> None:
        self._ada.pages.remove(page)
        await page.close()


async def _unfolded_text(part: Locator) -> str:
    """The text of a part of a page, also of what is folded up where it belongs to a failure."""
    await part.evaluate("one => one.querySelectorAll('details.doctor-forward').forEach((it) => { it.open = true; })")
    return "\n".join(await part.all_inner_texts())


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def write(all_seen: list[Seen], folder: Path) -> None:
    """Writes README.md beside the pictures, and all of it as seen.json."""
    lines = ["# When Google Drive fails, as each surface says it", "", "Written by `make gallery ONLY=doctor`.", ""]
    timed = [one for one in all_seen if one.check_seconds is not None]
    if timed:
        slowest = max(timed, key=lambda one: one.check_seconds or 0)
        lines += [f"{len(all_seen)} causes; the slowest whole check: {slowest.check_seconds} s ({slowest.cause}).", ""]
    for one in all_seen:
        lines += [f"## {one.row} · `{one.cause}`", ""]
        lines += [f'<img src="{name}" width="{120 if "-360" in name else 360}" alt="{name}">' for name in one.pictures]
        for surface, text in one.said.items():
            lines += ["", f"**{surface}**", "", "```", text.replace("```", "ʼʼʼ"), "```"]
        lines += ["", f"The check took {one.check_seconds} s." if one.check_seconds is not None else "", ""]
    (folder / "README.md").write_text("\n".join(lines), "utf-8")
    (folder / "seen.json").write_text(_indented([asdict(one) for one in all_seen]), "utf-8")


async def take(leaf: Product, causes: list[Cause], folder: Path) -> list[str]:
    """Takes the pictures and texts of causes; gives what went wrong, as sentences."""
    path = chromium.find()
    if path is None:
        return ["no Chromium: run `make browser`"]
    problems: list[str] = []
    all_seen: list[Seen] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        gallery = Gallery(leaf, await Stage(leaf, browser).visit(), folder)
        for cause in causes:
            begun = time.monotonic()
            try:
                all_seen.append(await gallery.see(cause))
                write(all_seen, folder)
                problems += [f"{cause}: {text}" for name, text in all_seen[-1].said.items() if name == "too wide"]
            except (AssertionError, TimeoutError, Error) as error:
                problems.append(f"{cause}: {str(error)[:800]}")
            sys.stdout.write(f"{cause}: {time.monotonic() - begun:.1f} s\n")
            sys.stdout.flush()
        await browser.close()
    return problems


def main() -> None:
    """Starts Leaf, asks its surfaces, ends Leaf."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("causes", nargs="*", type=Cause, help="some causes alone")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    leaf = Product(settings=SETTINGS, reads_texts=False)
    try:
        leaf.start()
        problems = asyncio.run(take(leaf, options.causes or [*CAUSES], options.out))
    finally:
        leaf.stop()
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
