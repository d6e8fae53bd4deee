"""Walks share browser contexts, and see nothing of one another in them."""

from tests.browser.contexts import Contexts
from tests.browser.product import Product

STORE = """async () => {
    localStorage.setItem("theirs", "1");
    sessionStorage.setItem("theirs", "1");
    document.cookie = "theirs=1";
    await (await caches.open("theirs")).put("/theirs", new Response("1"));
    await new Promise((done) => { indexedDB.open("theirs").onsuccess = done; });
}"""
STORED = """async () => [
    ...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie, ...(await caches.keys()),
    ...(await indexedDB.databases()).map((one) => one.name),
    (await navigator.permissions.query({name: "geolocation"})).state,
].filter((one) => one.includes("theirs") || one === "granted")"""


async def test_a_context_that_is_lent_again_holds_nothing_of_the_walk_before(contexts: Contexts, leaf: Product) -> None:
    lent = await contexts.lend(None, own=False, serves=False, options={"locale": "fr-FR"})
    await lent.context.grant_permissions(["geolocation"])
    await lent.context.route("**/robots.txt", lambda route: route.fulfill(body="theirs"))
    page = await lent.context.new_page()
    await page.goto(leaf.url)
    await page.evaluate(STORE)
    assert len(await page.evaluate(STORED)) == 6
    await contexts.take_back(lent, [leaf.url])
    again = await contexts.lend(None, own=False, serves=False, options={"locale": "fr-FR"})
    assert again.context is lent.context
    assert again.pages == []
    page = await again.context.new_page()
    await page.goto(leaf.url)
    assert await page.evaluate(STORED) == []
    assert "theirs" not in await page.evaluate("async () => (await fetch('/robots.txt')).text()")
    await contexts.take_back(again, [leaf.url])
    other = await contexts.lend(None, own=True, serves=False, options={"locale": "fr-FR"})
    assert other.context is not lent.context
    await contexts.take_back(other, [])
