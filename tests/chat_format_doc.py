"""`python -m tests.chat_format_doc`: writes docs/chat-format.schema.json from the models."""

import json
from pathlib import Path

from leaf.parts import portable

DOCUMENT = Path(__file__).parents[1] / "docs" / "chat-format.schema.json"


def text() -> str:
    """The schema as it stands in the file."""
    return json.dumps(portable.schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(text())
