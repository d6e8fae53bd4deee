"""Answers by script: what they call, and what that shows."""

import json
from typing import Any

ORCHARD = "https://orchard.example/apples"
COLUMNS = [
    {"key": "sort", "label": "Sort"},
    {"key": "kg", "label": "Harvest", "type": "number"},
    {"key": "price", "label": "Price", "type": "currency", "currency": "EUR"},
    {"key": "since", "label": "Since", "type": "date"},
    {"key": "share", "label": "Share", "type": "percent"},
    {"key": "page", "label": "Page", "type": "link"},
    {"key": "organic", "label": "Organic", "type": "boolean"},
]
ROWS = [
    {"sort": "Tree 10", "kg": 9, "price": 1200.5, "since": "2024-12-01", "share": 12.5, "organic": True},
    {"sort": "Tree 2", "kg": 100, "price": 80, "since": "2025-02-01", "share": 50, "page": {"url": ORCHARD}},
    {"sort": "tree 1", "kg": 25, "price": 80, "since": "1999-07-30", "organic": False},
    {"sort": "Älter", "price": 3},
]
TABLE = {"title": "Apples of the orchard", "description": "From the harvest log.", "columns": COLUMNS, "rows": ROWS}
PLAN = {
    "title": "Plant an apple tree",
    "description": "From the hole to the first harvest.",
    "steps": [
        {"label": "Dig", "description": "Twice as wide as the roots.", "status": "completed"},
        {"label": "Plant", "status": "in_progress"},
        {"label": "Water for a year"},
    ],
}
SOURCE = {"title": "Old apple sorts", "url": ORCHARD, "snippet": "They keep until May.", "published": "2024"}
CITATIONS = {"title": "Sources", "items": [SOURCE, {"title": "The same, elsewhere", "url": f"{ORCHARD}?page=2"}]}
CARD = {"url": ORCHARD, "title": "The orchard", "description": "All apples that grow there."}
OPTIONS = {
    "question": "Which year do you mean?",
    "options": [
        {"id": "a", "label": "The harvest of 2025", "description": "It is complete."},
        {"id": "b", "label": "The harvest of 2026"},
    ],
}


def step(name: str, arguments: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"text": text, "calls": [{"name": name, "arguments": arguments}]}


def script(*steps: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(steps)}\n```"
