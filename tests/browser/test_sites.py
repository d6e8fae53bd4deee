"""Website agents: a site, an agent and a key are made in Settings, and a visitor's conversation is read there."""

from uuid import uuid4

import httpx
from playwright.async_api import expect

from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

SHOP = "https://shop.example"
NO_SITES = """
    DELETE FROM tenants t USING tenant_members m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = t.id AND u.email LIKE %s RETURNING t.id
"""
"""Other walks have made sites of the same person."""


async def test_a_site_gets_an_agent_and_its_conversations_are_read(visit: Visit) -> None:
    """# 003-05, 003-25, 003-26, 003-27, 003-29, 003-30"""
    ben = await visit("ben")
    await ben.leaf.query(NO_SITES, "ben@%")
    page = await ben.open("/settings/sites")
    await expect(page.get_by_text("No sites yet.")).to_be_visible()
    await page.get_by_label("Name of the site or company").fill("Apple shop")
    await page.get_by_role("button", name="Add a site").click()
    await expect(page.get_by_role("heading", name="Apple shop")).to_be_visible()
    await page.get_by_role("button", name="Create secret").click()
    await expect(page.locator(".made-key")).to_contain_text("leaf_sign_")
    await page.set_viewport_size({"width": 360, "height": 800})
    for card in await page.locator("main .card").all():
        assert await card.evaluate("one => one.scrollWidth <= one.clientWidth"), await card.inner_text()
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.get_by_label("Name of the agent").fill("Apple help")
    await page.get_by_role("button", name="Create agent").click()
    await expect(page.get_by_role("heading", name="Apple help").first).to_be_visible()
    trail = page.get_by_role("navigation", name="Path")
    await trail.get_by_role("link", name="Apple shop").click()
    await expect(page.get_by_text("Not allowed on any website yet")).to_be_visible()
    await trail.get_by_role("link", name="Sites").click()
    await expect(page.get_by_text("1 agent · 1 person")).to_be_visible()
    await page.get_by_role("link", name="Apple shop").click()
    await page.get_by_role("link", name="Apple help").click()
    await page.get_by_label("Instructions").fill("You sell apples.")
    await page.get_by_label("Allowed websites", exact=True).fill(f"{SHOP}/\nhttp://localhost:5000")
    await page.get_by_label("Welcome").fill("Hello!")
    await page.get_by_label("pageUrl").check()
    await page.get_by_label("Temperature").fill("hot")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Invalid value for temperature.")).to_be_visible()
    await page.get_by_label("Temperature").fill("0.5")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await page.get_by_text("Prompt preview").click()
    told = page.locator(".prompt-preview")
    await expect(told).to_contain_text("You sell apples.")
    await expect(told).to_contain_text('- pageUrl: "https://shop.example/orders/7"')
    await page.get_by_label("Name", exact=True).fill("Pages")
    await page.get_by_role("button", name="Create public key").click()
    shown = page.locator(".public-key")
    await expect(shown).to_contain_text("leaf_pk_")
    headers = {"authorization": f"Bearer {await shown.inner_text()}", "origin": SHOP, "x-leaf-session": uuid4().hex}
    async with httpx.AsyncClient(base_url=ben.leaf.url, headers=headers, timeout=60) as http:
        assert (await http.get("/api/agent")).json()["welcome"] == "Hello!"
        chat = (await http.post("/api/chats", json={"context": {"pageUrl": f"{SHOP}/cart"}})).json()["id"]
        answer = await http.post(f"/api/chats/{chat}/messages", json={"content": "Do you have Boskoop apples?"})
        assert "event: done" in answer.text
    await page.reload()
    await expect(page.get_by_label("Instructions")).to_have_value("You sell apples.")
    await page.get_by_label("Question", exact=True).fill("Are apples round?")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.locator(".playground-answer")).to_contain_text(" ")
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await page.get_by_role("link", name="Chats and usage").click()
    row = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Read", exact=True))
    await expect(row).to_have_count(2)
    await page.get_by_label("Search text", exact=True).fill("no such words")
    await page.locator("#main").get_by_role("button", name="Search").click()
    await expect(page.get_by_text("No chats.")).to_be_visible()
    await page.get_by_label("Search text", exact=True).fill("boskoop")
    await page.locator("#main").get_by_role("button", name="Search").click()
    await expect(row).to_have_count(1)
    await row.get_by_role("link", name="Read", exact=True).click()
    await expect(page.get_by_role("heading", name="Do you have Boskoop apples")).to_be_visible()
    await expect(page.get_by_role("navigation", name="Path").get_by_role("link")).to_have_text(
        ["Sites", "Apple shop", "Apple help", "Chats and usage"]
    )
    await expect(page.locator(".transcript > li").first).to_contain_text("Do you have Boskoop apples?")
    await expect(page.get_by_text(f"{SHOP}/cart")).to_be_visible()
    await expect(page.locator(".transcript > li").last).to_contain_text("tokens in")
    await page.go_back()
    await expect(page.get_by_label("Search text", exact=True)).to_have_value("boskoop")
    await expect(row).to_have_count(1)
    async with page.expect_download() as downloading:
        await page.get_by_role("link", name="Export as JSON").click()
    assert (await downloading.value).suggested_filename == "conversations.json"


async def test_the_widget_is_seen_while_its_words_are_typed(visit: Visit) -> None:
    """The preview shows name, greeting, questions and colour before they are saved, and nothing in it can be used."""
    ada = await visit("ada")
    page = await ada.open("/settings/sites")
    await page.get_by_label("Name of the site or company").fill("Quince shop")
    await page.get_by_role("button", name="Add a site").click()
    await page.get_by_label("Name of the agent").fill("Quince help")
    await page.get_by_role("button", name="Create agent").click()
    widget = page.locator("leaf-chat")
    await expect(widget.get_by_role("heading", name="Quince help", include_hidden=True)).to_be_visible()
    await expect(widget.get_by_text("Hello! How can I help you?")).to_be_visible()
    await page.get_by_label("Welcome").press_sequentially("Ask me **anything** at [Quince](https://quince.example/)")
    await expect(widget.locator(".welcome strong")).to_have_text("anything")
    await expect(widget.locator(".welcome .link-host")).to_contain_text("quince.example")
    await page.get_by_label("Name of the agent").fill("Quince and pear")
    await expect(widget.get_by_role("heading", name="Quince and pear", include_hidden=True)).to_be_visible()
    await page.get_by_label("Suggested questions").fill("\n".join(f"Question {number}?" for number in range(6)))
    await expect(widget.locator(".suggestions button")).to_have_count(6)
    await page.get_by_label("Text of the button").fill("Chat with us")
    await page.get_by_label("Colour").fill("#a03060")
    await expect(widget.locator(".launcher")).to_have_css("background-color", "rgb(160, 48, 96)")
    await expect(widget.locator(".launcher")).to_have_text("Chat with us")
    await page.get_by_label("Colour").fill("no colour")
    await expect(widget.locator(".launcher")).to_have_css("background-color", "rgb(31, 107, 69)")
    await expect(widget).to_have_attribute("inert", "")
    await check(page)
    await page.emulate_media(color_scheme="light")
    await page.reload()
    await expect(widget.get_by_text("Hello! How can I help you?")).to_be_visible()
    await page.get_by_role("navigation", name="Path").get_by_role("link", name="Quince shop").click()
    await expect(page.get_by_role("heading", name="Signing secrets")).to_be_visible()
    await check(page)
    # Who removes the last member is asked, in a dialog as narrow as all others.
    await page.get_by_role("button", name="Remove Ada Lindqvist").click()
    dialog = page.get_by_role("dialog", name="Delete this site")
    await expect(dialog.get_by_role("button", name="Delete Quince shop")).to_be_visible()
    assert (await dialog.bounding_box() or {"width": 0})["width"] < 600


async def test_an_agent_answers_from_a_file_that_was_added_on_its_page(visit: Visit) -> None:
    """The visitor sees its title, the team what was found in it; without it nothing is found any more."""
    ada = await visit("ada")
    ada.guard.allow(r"status of 415")
    page = await ada.open("/settings/sites")
    await page.get_by_label("Name of the site or company").fill("Damson shop")
    await page.get_by_role("button", name="Add a site").click()
    await page.get_by_label("Name of the agent").fill("Damson help")
    await page.get_by_role("button", name="Create agent").click()
    section = page.locator("section").filter(has=page.get_by_role("heading", name="Knowledge", exact=True)).last
    await expect(section.get_by_text("No files or folders yet.")).to_be_visible()
    picker = section.get_by_label("Files of the agent")
    await picker.set_input_files([{"name": "a.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x90\0\3\0"}])
    uploads = section.get_by_role("list", name="Uploads")
    await expect(uploads).to_contain_text("This is a picture, an archive or a program.")
    note = b"# Returns\n\nDamsons can be sent back within 37 days of their delivery.\n"
    await picker.set_input_files([{"name": "final v2.md", "mimeType": "text/markdown", "buffer": note}])
    title = section.get_by_label("Title for visitors")
    await expect(title).to_have_value("final v2.md")
    await title.fill("Our returns")
    await section.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Title saved.")).to_be_visible()
    await section.get_by_label("Link to a Google Drive folder").fill("https://drive.google.com/drive/my-drive")
    await section.get_by_role("button", name="Add folder").click()
    await expect(section.get_by_text("This is your whole Drive. Choose a folder in it.")).to_be_visible()
    await page.get_by_label("Question", exact=True).fill("Within how many days can damsons be sent back?")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.locator(".playground-answer")).to_contain_text("37 days")
    await expect(page.locator(".playground-turn")).to_contain_text("Our returns")
    await page.get_by_role("link", name="Chats and usage").click()
    await page.get_by_role("link", name="Read", exact=True).click()
    found = page.locator(".transcript > li").filter(has_text="Knowledge returned")
    await expect(found).to_contain_text("Our returns")
    await expect(found).to_contain_text("Damsons can be sent back within 37 days")
    await page.get_by_role("navigation", name="Path").get_by_role("link", name="Damson help").click()
    await section.get_by_role("button", name="Remove Our returns from the agent").click()
    await expect(section.get_by_text("No files or folders yet.")).to_be_visible()
