"""A page judged by axe-core (WCAG 2.2 AA and its best practices)."""

import json
from importlib.resources import files
from typing import Any

from playwright.async_api import Page

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    "resultTypes": ["violations"],
}
GRAVE = {"serious", "critical"}
AT_REST = """
const endless = (one) => one.effect?.getComputedTiming().endTime === Infinity;
const below = (root) => [...root.querySelectorAll('*')].filter((one) => one.shadowRoot).map((one) => one.shadowRoot);
const roots = (root) => [root, ...below(root).flatMap(roots)];
const moving = roots(document).flatMap((root) => root.getAnimations()).filter((one) => !endless(one));
await Promise.allSettled(moving.map((one) => one.finished));
"""
"""Waits until what moves has arrived: half faded in, every text has too little contrast."""


async def violations(page: Page) -> list[str]:
    """Serious and critical findings: rule, and the first elements.

    It is evaluated through the debugger, which no policy of the page forbids.
    """
    found: dict[str, Any] = await page.evaluate(
        f"async () => {{ {AT_REST} {AXE}; return axe.run(document, {json.dumps(RULES)}); }}"
    )
    return [
        f"{one['id']} ({one['impact']}): {[node['html'][:200] for node in one['nodes'][:4]]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]
