"""Settings, usage, administration."""

import re

from playwright.async_api import Page, expect

from tests.browser.test_exchange import archive, choose, conversation
from tests.browser.test_usage import PAST
from tests.gallery.scene import Chapter
from tests.gallery.stage import ANSWERED_MS, Stage, says

chapter = Chapter("Settings and figures")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Version/17.4 Mobile/15E148 Safari/604.1"
LAPTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def _section(path: str, title: str) -> None:
    """A page of the settings."""

    @chapter.scene(path.strip("/").replace("/", "-"), title)
    async def play(stage: Stage) -> Page:
        ada = await stage.visit()
        await stage.furnish(ada, 6)
        page = await ada.open(path)
        await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
        await expect(page.locator("nav#sidebar li.chat-row").first).to_be_attached()
        return page


for _path, _title in (
    ("/settings", "Settings: profile"),
    ("/settings/answers", "Settings: answers"),
    ("/settings/integrations", "Settings: integrations"),
    ("/settings/sessions", "Settings: sessions"),
    ("/settings/appearance", "Settings: appearance"),
    ("/settings/import", "Settings: chats from files"),
    ("/settings/keys", "Settings: keys of programs"),
    ("/settings/shared", "Settings: what is shared"),
    ("/settings/sites", "Settings: website agents"),
    ("/settings/data", "Settings: one's data, and leaving"),
):
    _section(_path, _title)


@chapter.scene("settings-sessions-several", "Signed in at several places; what has happened")
async def _sessions(stage: Stage) -> Page:
    ada = await stage.visit()
    for agent, hours in ((PHONE, 3), (LAPTOP, 220)):
        await stage.leaf.query(
            "INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at, expires_at)"
            " SELECT gen_random_uuid(), id, gen_random_uuid(), %s, now() - ago, now() - ago, now() + ago"
            " FROM users, make_interval(hours => %s) ago WHERE email = 'ada@sandbox.leaf.example' RETURNING 1",
            agent,
            hours,
        )
    page = await ada.open("/settings/sessions")
    await expect(page.get_by_role("button", name="Sign out all other browsers")).to_be_visible()
    return page


@chapter.scene("settings-import-done", "Chats that came from a file, and one that could not")
async def _imported(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.leaf.query("DELETE FROM imports RETURNING 1")
    page = await ada.open("/settings/import")
    talks = [conversation(title, 2) for title in ("What pears need", "A letter to the bank")]
    await choose(page, "chatgpt-export.zip", archive(*talks, {"title": "Broken one", "mapping": 5}))
    listed = page.get_by_role("list", name="Imports")
    await expect(listed).to_contain_text("2 chats imported", timeout=ANSWERED_MS)
    await listed.get_by_text("Not imported").click()
    return page


@chapter.scene("settings-keys-made", "A key was made")
async def _key(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.leaf.query("DELETE FROM api_keys RETURNING 1")
    page = await ada.open("/settings/keys")
    for name in ("Nightly report", "My notes"):
        await page.get_by_label("Name").fill(name)
        await page.get_by_role("button", name="Create key").click()
        await expect(page.get_by_role("listitem").filter(has_text=name)).to_be_visible()
    await expect(page.locator(".made-key")).to_be_visible()
    return page


@chapter.scene("settings-leaving", "The account is about to be deleted")
async def _leaving(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/settings/data")
    field = page.get_by_label("to confirm")
    await field.fill("ben@sandbox.leaf.example")
    await page.get_by_role("button", name="Delete my account").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    return page


@chapter.scene("disconnect", "A connection is about to be ended")
async def _disconnect(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/settings/integrations")
    await page.get_by_role("button", name="Disconnect").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    return page


@chapter.scene("usage", "What was used")
async def _usage(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.leaf.query("DELETE FROM usage_entries RETURNING 1")
    await stage.leaf.query(f"{PAST.replace('%', '%%')} RETURNING 1")
    await stage.asked("Do apples keep?", says("Apples keep for months."), title="Do apples keep?")
    page = await ada.open("/usage")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_text("Do apples keep?").first).to_be_attached()
    return page


@chapter.scene("admin", "The administration")
async def _admin(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/admin")
    await expect(page.get_by_role("heading", name="Administration")).to_be_visible()
    await expect(page.locator("#main table").first).to_be_attached()
    return page


async def _of_agent(stage: Stage) -> Page:
    """The page of an agent that was made just now."""
    await stage.leaf.query("DELETE FROM tenants RETURNING 1")
    page = await (await stage.visit()).open("/settings/sites")
    await page.get_by_label("Name of the site or company").fill("Apple shop")
    await page.get_by_role("button", name="Add a site").click()
    await page.get_by_label("Name of the agent").fill("Apple help")
    await page.get_by_role("button", name="Create agent").click()
    await expect(page.get_by_role("button", name="Create public key")).to_be_visible()
    return page


@chapter.scene("agent", "An agent for the visitors of a site")
async def _agent(stage: Stage) -> Page:
    page = await _of_agent(stage)
    await page.get_by_label("Name", exact=True).fill("Pages")
    await page.get_by_role("button", name="Create public key").click()
    await expect(page.locator(".public-key")).to_be_visible()
    return page


async def _tried(stage: Stage, *, logs: bool = False, answered: bool = True) -> Page:
    """The page of an agent that was asked something."""
    page = await _of_agent(stage)
    if logs:
        await stage.leaf.query("UPDATE agents SET provider_logs = true RETURNING 1")
    await page.get_by_label("Question", exact=True).fill("Are apples round?")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.locator(".playground-answer")).to_contain_text(re.compile(r"\w"))
    if answered:
        await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    return page


_DAYS = """
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, day, model, input_tokens, output_tokens, cost_usd, duration_ms,
        first_text_ms, failed
    )
    SELECT
        gen_random_uuid(), 'answer', v.user_id, t.workspace_id, current_date - day, 'sandbox:sandbox',
        (700 + 311 * day) %% 2900, 90, 0.001 * (day %% 5), 1500 + (day * 377) %% 2000, 200 + (day * 131) %% 600,
        day %% 6 = 1
    FROM visitors v JOIN tenants t ON t.id = v.tenant_id CROSS JOIN generate_series(1, 29) day RETURNING 1
"""


@chapter.scene("agent-conversations", "What visitors of a site have asked, and what that has used")
async def _conversations(stage: Stage) -> Page:
    page = await _tried(stage)
    await stage.leaf.query(_DAYS)
    await stage.leaf.query(
        "INSERT INTO budget_alerts (tenant_id, unit, percent, period) SELECT id, 'usd', 80, "
        "date_trunc('month', now() AT TIME ZONE 'UTC') FROM tenants RETURNING 1"
    )
    await page.get_by_role("link", name="Chats and usage").click()
    await expect(page.get_by_role("link", name="Read")).to_be_visible()
    await expect(page.locator("figure.chart").first).to_be_visible()
    return page


@chapter.scene("agent-transcript", "A visitor's conversation, with the requests to the model that are kept")
async def _transcript(stage: Stage) -> Page:
    page = await _tried(stage, logs=True)
    await page.get_by_role("link", name="Chats and usage").click()
    await page.get_by_role("link", name="Read").click()
    await page.get_by_role("button", name="Show", exact=True).first.click()
    await expect(page.locator(".provider-text").first).to_be_visible()
    return page


@chapter.scene("agent-transcript-live", "A visitor's conversation while its answer is written")
async def _transcript_live(stage: Stage) -> Page:
    async with stage.model("sandbox-slow-400"):
        page = await _tried(stage, answered=False)
    await page.get_by_role("link", name="Chats and usage").click()
    await page.get_by_role("link", name="Read").click()
    await expect(page.get_by_text("An answer is being written…")).to_be_visible()
    await expect(page.locator(".event-answer")).to_contain_text(re.compile(r"\w"))
    return page
