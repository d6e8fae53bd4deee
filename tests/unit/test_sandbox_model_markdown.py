"""How the sandbox's model writes links."""

import pytest

from sandbox.model import markdown
from sandbox.model.tool_results import File


@pytest.mark.parametrize("url", ["https://x.example/a\n", "https://x.example/a b", "javascript:alert(1)", ""])
def test_an_address_that_no_browser_should_open_is_no_link(url: str) -> None:
    assert markdown.link(File("id", "Plan", url)) == "Plan"
