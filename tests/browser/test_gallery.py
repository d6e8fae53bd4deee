"""Every scene of the gallery is checked with axe-core (WCAG 2.2 AA) and for its width, in both themes and sizes."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.browser.axe import violations
from tests.browser.product import Product
from tests.gallery.pictures import SHOTS
from tests.gallery.scene import Scene
from tests.gallery.scenes import SCENES
from tests.gallery.stage import Scheme, Stage, show

WIDTH = """() => Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('main, main *')]
    .filter((one) => one.clientWidth > innerWidth * 0.8 && one.clientHeight > 300 && one.tabIndex < 0
        && /auto|scroll/.test(getComputedStyle(one).overflowY))
    .map((one) => one.getBoundingClientRect().left + one.scrollWidth))"""
"""The width of the page or of its widest scroll container. Elements that scroll sideways on purpose can be focused and
are left out.
"""


STATELESS = """() => [...document.querySelectorAll('*')].filter((one) => {
    const has = (name) => one.hasAttribute(name);
    const named = (name) => (one.getAttribute(name) ?? '').split(' ').filter(Boolean);
    if (has('aria-expanded') && !/^(true|false)$/.test(one.getAttribute('aria-expanded'))) return true;
    if (one.matches('[aria-expanded=true][aria-controls]'))
        return !named('aria-controls').every((id) => document.getElementById(id));
    // A button with a popovertarget has its state from the browser.
    if (one.matches('[data-toggle-sidebar]')) return !has('aria-expanded');
    if (one.matches('[data-palette], [commandfor]:not([command=close])')) return !has('aria-haspopup');
    if (one.matches('[role=tab]')) return !has('aria-selected');
    if (one.matches('[role=menuitemradio], [role=menuitemcheckbox], [role=switch]')) return !has('aria-checked');
    return false;
}).map((one) => one.outerHTML.slice(0, 160))"""
"""The controls that open, fold or choose something without a state for screen readers."""


@pytest_asyncio.fixture(scope="session")
async def stage(product: Product, chromium_browser: Browser) -> Stage:
    """One stage for all scenes, so that accounts stay signed in."""
    return Stage(product, chromium_browser)


@pytest_asyncio.fixture
async def cleared(stage: Stage) -> AsyncIterator[Stage]:
    """The stage. After the test, the data of the scene are deleted."""
    yield stage
    await stage.clear()


async def runnable(page: Page, scheme: Scheme, size: tuple[int, int]) -> Page:
    """The page itself if it may run scripts, and else a copy that may, because axe-core is a script."""
    if await page.locator("script").count():
        return page
    copy = await page.context.new_page()
    await copy.set_content(f"<script></script>{await page.content()}")
    await show(copy, scheme, size)
    return copy


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_no_scene_has_a_serious_violation_or_is_wider_than_its_window(cleared: Stage, scene: Scene) -> None:
    """# 000-46"""
    page = await scene.play(cleared)
    problems: list[str] = []
    for scheme, size in SHOTS:
        await show(page, scheme, size)
        if scene.pose is not None:
            await scene.pose(page)
        checked = await runnable(page, scheme, size)
        problems += [f"{size[0]} {scheme}: {problem}" for problem in await violations(checked)]
        problems += [f"{size[0]} {scheme}: no state: {one}" for one in await page.evaluate(STATELESS)]
        width = int(await page.evaluate(WIDTH))
        if width > size[0]:
            problems.append(f"{size[0]} {scheme}: {width} pixels wide")
    assert problems == []
