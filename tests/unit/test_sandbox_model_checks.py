"""The stand-ins refuse the same requests as the providers: otherwise a golden body would prove nothing."""

from typing import Any

import pytest

from sandbox.providers import anthropic, chat_completions, google_genai, responses, wire

THOUGHT = "The file will know."


def _claude(*content: tuple[str, list[dict[str, Any]]], **more: Any) -> dict[str, Any]:
    said = [{"role": role, "content": blocks} for role, blocks in content]
    return {"model": "sandbox", "max_tokens": 9, "messages": said, **more}


ASKED = [{"type": "text", "text": "Which?"}]
USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "2027"}
THINKS = {"type": "thinking", "thinking": THOUGHT, "signature": wire.sign("anthropic", THOUGHT)}


def _refusal(protocol: wire.Wire, body: dict[str, Any]) -> str:
    with pytest.raises(wire.Refused) as refused:
        protocol.parse(body)
    return refused.value.message


def test_anthropic_takes_a_whole_turn() -> None:
    """# 003-37"""
    turn = [("user", ASKED), ("assistant", [THINKS, USE]), ("user", [RESULT]), ("assistant", ASKED), ("user", ASKED)]
    anthropic.Messages().parse(_claude(*turn, thinking={"type": "enabled"}))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (_claude(("assistant", ASKED), ("user", ASKED)), "first message must use the `user` role"),
        (_claude(("user", [{"type": "text", "text": " "}])), "text must not be empty"),
        (_claude(("user", ASKED), ("assistant", []), ("user", ASKED)), "must not be empty"),
        (_claude(("user", ASKED), ("assistant", [USE]), ("user", ASKED)), "not answered right after them: c1"),
        (_claude(("user", ASKED), ("assistant", [USE, USE]), ("user", [RESULT])), "must be unique"),
        (_claude(("user", [RESULT])), "answers no call before it: c1"),
        (_claude(("user", ASKED), ("assistant", [USE]), ("user", [*ASKED, RESULT])), "not answered right after them"),
        (_claude(("user", ASKED), ("assistant", [THINKS]), ("user", ASKED)), "cannot be `thinking`"),
        (
            _claude(("user", ASKED), ("assistant", [{**THINKS, "thinking": "Else."}, USE]), ("user", [RESULT])),
            "invalid signature of a thought",
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
    assert says in _refusal(anthropic.Messages(), body)


def _tool_call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}


CALLS = {"role": "assistant", "content": None, "tool_calls": [_tool_call("c1"), _tool_call("c2")]}
TOOLS = [{"role": "tool", "tool_call_id": call_id, "content": "2027"} for call_id in ("c1", "c2")]
ASKS = {"role": "user", "content": "Which?"}
SAYS = {"role": "assistant", "content": "This one.", "reasoning_content": THOUGHT}


def test_chat_completions_take_a_whole_turn() -> None:
    """# 003-37"""
    messages = [ASKS, {**CALLS, "reasoning_content": THOUGHT}, *TOOLS]
    chat_completions.ChatCompletions().parse({"model": "sandbox", "messages": messages})


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([ASKS, CALLS, TOOLS[0], ASKS], "not answered right after them: c2"),
        ([ASKS, CALLS], "not answered right after them: c1, c2"),
        ([ASKS, TOOLS[0]], "answers no call before it: c1"),
        ([ASKS, {"role": "assistant", "content": None}, ASKS], "must not be empty"),
        ([ASKS, SAYS, ASKS], "reasoning_content of an earlier turn"),
    ],
)
def test_chat_completions_refuse(messages: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-37"""
    assert says in _refusal(chat_completions.ChatCompletions(), {"model": "sandbox", "messages": messages})


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": wire.sign("openai", THOUGHT)}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "2027"}


def _protocol() -> responses.Responses:
    """OpenAI, once it has returned a call after reasoning."""
    protocol = responses.Responses()
    protocol.reasoning["fc_1"] = "rs_1"
    return protocol


def _input(*items: dict[str, Any]) -> dict[str, Any]:
    return {"model": "sandbox", "input": [*items], "store": False}


def test_responses_take_a_whole_turn() -> None:
    """With its reasoning, or without it and without ids. # 003-17, 003-37"""
    _protocol().parse(_input(ASKS, REASONING, CALL, OUTPUT))
    _protocol().parse(_input(ASKS, {**CALL, "id": None}, OUTPUT))


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([ASKS, CALL, OUTPUT], "without its required 'reasoning' item: 'rs_1'"),
        ([ASKS, REASONING, ASKS], "without its required following item"),
        ([ASKS, REASONING], "without its required following item"),
        ([ASKS, REASONING, CALL], "not answered right after them: c1"),
        ([ASKS, OUTPUT], "answers no call before it: c1"),
        ([ASKS, {**REASONING, "encrypted_content": None}, CALL, OUTPUT], "not persisted: `store`"),
        (
            [ASKS, {**REASONING, "encrypted_content": THINKS["signature"]}, CALL, OUTPUT],
            "invalid signature of a thought",
        ),
        ([ASKS, {**CALL, "id": "toolu_1"}, OUTPUT], "expected an ID that begins with 'fc'"),
    ],
)
def test_responses_refuse(items: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-17, 003-37"""
    assert says in _refusal(_protocol(), _input(*items))


def _contents(*contents: dict[str, Any]) -> dict[str, Any]:
    return {"model": "gemini-3", "action": "generateContent", "contents": [*contents]}


def _gemini(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [*parts]}


FUNCTION = {"functionCall": {"id": "c1", "name": "read"}, "thoughtSignature": wire.sign("google", THOUGHT)}
GIVEN = {"functionResponse": {"id": "c1", "name": "read", "response": {}}}
SAID = {"text": "Which?"}


def test_google_takes_a_whole_turn() -> None:
    """The dummy signature included that Google documents for calls of another model. # 003-37"""
    foreign = {**FUNCTION, "thoughtSignature": google_genai.SKIPPED}
    for function in (FUNCTION, foreign):
        turn = _contents(_gemini("user", SAID), _gemini("model", function), _gemini("user", GIVEN))
        google_genai.GenerateContent().parse(turn)


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        ([_gemini("user", SAID), _gemini("model", SAID)], "end with a user role"),
        ([_gemini("user", SAID), _gemini("model"), _gemini("user", SAID)], "must not be empty"),
        ([_gemini("user", SAID), _gemini("model", {"text": ""}), _gemini("user", SAID)], "must not be empty"),
        ([_gemini("model", FUNCTION), _gemini("user", GIVEN)], "immediately after a user turn"),
        (
            [_gemini("user", SAID), _gemini("model", FUNCTION), _gemini("user", SAID)],
            "not answered right after them: c1",
        ),
        ([_gemini("user", GIVEN)], "answers no call before it: c1"),
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
            "invalid signature of a call",
        ),
    ],
)
def test_google_refuses(contents: list[dict[str, Any]], says: str) -> None:
    """# 002-30, 003-37"""
    assert says in _refusal(google_genai.GenerateContent(), _contents(*contents))
