"""The stand-ins refuse the same requests as the providers: otherwise a golden body would prove nothing."""

from typing import Any

import pytest

from sandbox.model import anthropic, chat_completions, google_genai, responses, wire

THOUGHT = "The file will know."


def _claude(*content: tuple[str, list[dict[str, Any]]], **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": blocks} for role, blocks in content], **more}


ASKED = [{"type": "text", "text": "Which?"}]
USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "2027"}
THINKS = {"type": "thinking", "thinking": THOUGHT, "signature": wire.sign("anthropic", THOUGHT)}


def _refusal(check: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(wire.Refused) as refused:
        check(*arguments, **options)
    return refused.value.message


def test_anthropic_takes_a_whole_turn() -> None:
    """# 003-37"""
    turn = [("user", ASKED), ("assistant", [THINKS, USE]), ("user", [RESULT]), ("assistant", ASKED), ("user", ASKED)]
    anthropic.check(_claude(*turn, thinking={"type": "enabled"}))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (_claude(("assistant", ASKED), ("user", ASKED)), "first message must use the `user` role"),
        (_claude(("user", [{"type": "text", "text": " "}])), "non-whitespace text"),
        (_claude(("user", ASKED), ("assistant", []), ("user", ASKED)), "non-empty content"),
        (_claude(("user", ASKED), ("assistant", [USE]), ("user", ASKED)), "without `tool_result` blocks"),
        (_claude(("user", ASKED), ("assistant", [USE, USE]), ("user", [RESULT])), "must be unique"),
        (_claude(("user", [RESULT])), "unexpected `tool_use_id`"),
        (_claude(("user", ASKED), ("assistant", [USE]), ("user", [*ASKED, RESULT])), "must come before"),
        (_claude(("user", ASKED), ("assistant", [THINKS]), ("user", ASKED)), "cannot be `thinking`"),
        (
            _claude(("user", ASKED), ("assistant", [{**THINKS, "thinking": "Else."}, USE]), ("user", [RESULT])),
            "Invalid `signature`",
        ),
        (
            _claude(("user", ASKED), ("assistant", [USE]), ("user", [RESULT]), thinking={"type": "enabled"}),
            "must start with a thinking block",
        ),
        (_claude(("user", [{**ASKED[0], "cache_control": {}}] * 5)), "maximum of 4 blocks"),
    ],
)
def test_anthropic_refuses(body: dict[str, Any], says: str) -> None:
    """# 002-30, 003-37"""
    assert says in _refusal(anthropic.check, body)


CALLS = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}, {"id": "c2"}]}
TOOLS = [{"role": "tool", "tool_call_id": call_id, "content": "2027"} for call_id in ("c1", "c2")]
ASKS = {"role": "user", "content": "Which?"}
SAYS = {"role": "assistant", "content": "This one.", "reasoning_content": THOUGHT}


def test_chat_completions_take_a_whole_turn() -> None:
    """# 003-37"""
    chat_completions.check({"messages": [ASKS, {**CALLS, "reasoning_content": THOUGHT}, *TOOLS]})


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([ASKS, CALLS, TOOLS[0], ASKS], "did not have response messages: c2"),
        ([ASKS, CALLS], "did not have response messages: c1, c2"),
        ([ASKS, TOOLS[0]], "must be a response to a preceeding message"),
        ([ASKS, {"role": "assistant", "content": None}], "expected a string"),
        ([ASKS, SAYS, ASKS], "reasoning_content of an earlier turn"),
    ],
)
def test_chat_completions_refuse(messages: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-37"""
    assert says in _refusal(chat_completions.check, {"messages": messages})


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": wire.sign("openai", THOUGHT)}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "2027"}


def _issued() -> responses.Issued:
    issued = responses.Issued()
    issued.remember([REASONING, CALL])
    return issued


def test_responses_take_a_whole_turn() -> None:
    """With its reasoning, or without it and without ids. # 003-17, 003-37"""
    responses.check([ASKS, REASONING, CALL, OUTPUT], _issued(), stored=False)
    responses.check([ASKS, {**CALL, "id": None}, OUTPUT], _issued(), stored=False)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([ASKS, CALL, OUTPUT], "without its required 'reasoning' item: 'rs_1'"),
        ([ASKS, REASONING, ASKS], "without its required following item"),
        ([ASKS, REASONING], "without its required following item"),
        ([ASKS, REASONING, CALL], "No tool output found for function call c1"),
        ([ASKS, OUTPUT], "No tool call found for function call output"),
        ([ASKS, {**REASONING, "encrypted_content": None}, CALL, OUTPUT], "not persisted when `store`"),
        ([ASKS, {**REASONING, "encrypted_content": THINKS["signature"]}, CALL, OUTPUT], "could not be verified"),
        ([ASKS, {**CALL, "id": "toolu_1"}, OUTPUT], "Expected an ID that begins with 'fc'"),
    ],
)
def test_responses_refuse(items: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-17, 003-37"""
    assert says in _refusal(responses.check, items, _issued(), stored=False)


def _gemini(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [*parts]}


FUNCTION = {"functionCall": {"id": "c1", "name": "read"}, "thoughtSignature": wire.sign("google", THOUGHT)}
GIVEN = {"functionResponse": {"id": "c1", "name": "read", "response": {}}}
SAID = {"text": "Which?"}


def test_google_takes_a_whole_turn() -> None:
    """The dummy signature included that Google documents for calls of another model. # 003-37"""
    google_genai.check("gemini-3", [_gemini("user", SAID), _gemini("model", FUNCTION), _gemini("user", GIVEN)])
    foreign = {**FUNCTION, "thoughtSignature": google_genai.SKIPPED}
    google_genai.check("gemini-3", [_gemini("user", SAID), _gemini("model", foreign), _gemini("user", GIVEN)])


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        ([_gemini("user", SAID), _gemini("model", SAID)], "end with a user role"),
        ([_gemini("user", SAID), _gemini("model"), _gemini("user", SAID)], "must not be empty"),
        ([_gemini("user", SAID), _gemini("model", {"text": ""}), _gemini("user", SAID)], "must not be empty"),
        ([_gemini("model", FUNCTION), _gemini("user", GIVEN)], "immediately after a user turn"),
        ([_gemini("user", SAID), _gemini("model", FUNCTION), _gemini("user", SAID)], "equal to the number"),
        ([_gemini("user", GIVEN)], "immediately after a function call turn"),
        (
            [
                _gemini("user", SAID),
                _gemini("model", {"functionCall": FUNCTION["functionCall"]}),
                _gemini("user", GIVEN),
            ],
            "missing a thought_signature",
        ),
        (
            [
                _gemini("user", SAID),
                _gemini("model", {**FUNCTION, "thoughtSignature": THINKS["signature"]}),
                _gemini("user", GIVEN),
            ],
            "Invalid thought signature",
        ),
    ],
)
def test_google_refuses(contents: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-37"""
    assert says in _refusal(google_genai.check, "gemini-3", contents)
