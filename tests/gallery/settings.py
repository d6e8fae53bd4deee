"""How Leaf is set up for the gallery and the tests that go through its scenes: one administrator, and room to ask."""

from tests.browser import questions

SETTINGS = {
    "LEAF_DAILY_TOKENS": f"{questions.BUDGET_TOKENS}",
    "LEAF_TOKEN_LIMIT": "10000000",
    "LEAF_REQUESTS_PER_MINUTE": "0",
    "LEAF_ADMINS": "ada@sandbox.leaf.example",
    "LEAF_RELATED_QUESTIONS": "true",
    "LEAF_GUESTS": "true",
}
