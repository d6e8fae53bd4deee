"""Sequences of chunks and the messages that `readUIMessageStream` of the npm package `ai` 7 makes of them."""

import pytest

from leaf import parts

CASES: list[tuple[str, list[parts.Chunk], parts.Message]] = [
    (
        "text arrives in deltas, between steps",
        [
            {"type": "start", "messageId": "m1", "messageMetadata": {"model": "x"}},
            {"type": "start-step"},
            {"type": "text-start", "id": "t"},
            {"type": "text-delta", "id": "t", "delta": "Hel"},
            {"type": "text-delta", "id": "t", "delta": "lo"},
            {"type": "text-end", "id": "t"},
            {"type": "finish-step"},
            {"type": "finish", "finishReason": "stop"},
        ],
        {
            "id": "m1",
            "metadata": {"model": "x"},
            "role": "assistant",
            "parts": [{"type": "step-start"}, {"type": "text", "text": "Hello", "state": "done"}],
        },
    ),
    (
        "two texts and a reasoning are open at once",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "reasoning-start", "id": "r"},
            {"type": "text-start", "id": "a"},
            {"type": "text-start", "id": "b"},
            {"type": "text-delta", "id": "b", "delta": "B"},
            {"type": "reasoning-delta", "id": "r", "delta": "hm", "providerMetadata": {"p": {"signature": "s"}}},
            {"type": "text-delta", "id": "a", "delta": "A"},
            {"type": "text-end", "id": "a"},
            {"type": "reasoning-end", "id": "r"},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {
                    "type": "reasoning",
                    "id": "r",
                    "text": "hm",
                    "providerMetadata": {"p": {"signature": "s"}},
                    "state": "done",
                },
                {"type": "text", "text": "A", "state": "done"},
                {"type": "text", "text": "B", "state": "streaming"},
            ],
            "metadata": {},
        },
    ),
    (
        "a tool call is written, runs and answers with nothing",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "start-step"},
            {"type": "tool-input-start", "toolCallId": "c", "toolName": "list"},
            {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"folder": "ro'},
            {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": 'ot"}'},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "list", "input": {"folder": "root"}},
            {"type": "tool-output-available", "toolCallId": "c", "output": None},
            {"type": "finish-step"},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "tool-list",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {"folder": "root"},
                    "output": None,
                },
            ],
            "metadata": {},
        },
    ),
    (
        "an input that is still being written is read as far as it goes",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "tool-input-start", "toolCallId": "c", "toolName": "list", "title": "List"},
            {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"folder": "ro'},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {
                    "type": "tool-list",
                    "toolCallId": "c",
                    "state": "input-streaming",
                    "title": "List",
                    "input": {"folder": "ro"},
                    "rawInput": '{"folder": "ro',
                }
            ],
            "metadata": {},
        },
    ),
    (
        "an output comes after its step",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "start-step"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "list", "input": {}},
            {"type": "finish-step"},
            {"type": "start-step"},
            {"type": "tool-output-available", "toolCallId": "c", "output": {"files": []}},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "tool-list",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {},
                    "output": {"files": []},
                },
                {"type": "step-start"},
            ],
            "metadata": {},
        },
    ),
    (
        "a tool fails, another one's input is refused",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "list", "input": {"a": 1}},
            {"type": "tool-output-error", "toolCallId": "c", "errorText": "no"},
            {"type": "tool-input-start", "toolCallId": "d", "toolName": "list"},
            {
                "type": "tool-input-error",
                "toolCallId": "d",
                "toolName": "list",
                "input": {"b": 2},
                "errorText": "bad input",
            },
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "tool-list", "toolCallId": "c", "state": "output-error", "input": {"a": 1}, "errorText": "no"},
                {
                    "type": "tool-list",
                    "toolCallId": "d",
                    "state": "output-error",
                    "input": {"b": 2},
                    "errorText": "bad input",
                },
            ],
            "metadata": {},
        },
    ),
    (
        "a dynamic tool keeps its name in the part",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "tool-input-start", "toolCallId": "c", "toolName": "list", "dynamic": True},
            {
                "type": "tool-input-available",
                "toolCallId": "c",
                "toolName": "list",
                "input": {},
                "dynamic": True,
                "providerExecuted": True,
            },
            {"type": "tool-output-available", "toolCallId": "c", "output": [1], "preliminary": True},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {
                    "type": "dynamic-tool",
                    "toolName": "list",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {},
                    "output": [1],
                    "preliminary": True,
                    "providerExecuted": True,
                }
            ],
            "metadata": {},
        },
    ),
    (
        "a call is approved, another one denied",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "write", "input": {}},
            {"type": "tool-approval-request", "toolCallId": "c", "approvalId": "a"},
            {"type": "tool-approval-response", "approvalId": "a", "approved": True, "reason": "fine"},
            {"type": "tool-output-available", "toolCallId": "c", "output": 1},
            {"type": "tool-input-available", "toolCallId": "d", "toolName": "write", "input": {}},
            {"type": "tool-approval-request", "toolCallId": "d", "approvalId": "b"},
            {"type": "tool-output-denied", "toolCallId": "d"},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {
                    "type": "tool-write",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {},
                    "output": 1,
                    "approval": {"id": "a", "approved": True, "reason": "fine"},
                },
                {
                    "type": "tool-write",
                    "toolCallId": "d",
                    "state": "output-denied",
                    "input": {},
                    "approval": {"id": "b"},
                },
            ],
            "metadata": {},
        },
    ),
    (
        "data of the same type and id is replaced, transient data leaves nothing",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "data-plan", "id": "1", "data": {"step": 1}},
            {"type": "data-plan", "id": "2", "data": 2},
            {"type": "data-plan", "data": 3},
            {"type": "data-plan", "id": "1", "data": {"step": 4}},
            {"type": "data-note", "id": "1", "data": 5, "transient": True},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "data-plan", "id": "1", "data": {"step": 4}},
                {"type": "data-plan", "id": "2", "data": 2},
                {"type": "data-plan", "data": 3},
            ],
            "metadata": {},
        },
    ),
    (
        "sources, files and custom parts are kept",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "source-url", "sourceId": "s", "url": "https://example.com", "title": "T"},
            {"type": "source-document", "sourceId": "d", "mediaType": "text/plain", "title": "D", "filename": "d.txt"},
            {"type": "file", "url": "data:,x", "mediaType": "text/plain"},
            {"type": "custom", "kind": "leaf.note"},
            {"type": "data-end", "data": 1},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "source-url", "sourceId": "s", "url": "https://example.com", "title": "T"},
                {
                    "type": "source-document",
                    "sourceId": "d",
                    "mediaType": "text/plain",
                    "title": "D",
                    "filename": "d.txt",
                },
                {"type": "file", "mediaType": "text/plain", "url": "data:,x"},
                {"type": "custom", "kind": "leaf.note"},
                {"type": "data-end", "data": 1},
            ],
            "metadata": {},
        },
    ),
    (
        "metadata is merged deeply, arrays are replaced",
        [
            {"type": "start", "messageId": "m1", "messageMetadata": {"usage": {"in": 1}, "tags": [1, 2]}},
            {"type": "message-metadata", "messageMetadata": {"usage": {"out": 2}, "tags": [3]}},
            {"type": "finish", "messageMetadata": {"status": "stopped"}},
        ],
        {
            "id": "m1",
            "metadata": {"usage": {"in": 1, "out": 2}, "tags": [3], "status": "stopped"},
            "role": "assistant",
            "parts": [],
        },
    ),
    (
        "a step is taken back",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "start-step"},
            {"type": "data-a", "data": 1},
            {"type": "start-step"},
            {"type": "text-start", "id": "t"},
            {"type": "text-delta", "id": "t", "delta": "x"},
            {"type": "reset-step"},
            {"type": "text-start", "id": "t"},
            {"type": "text-delta", "id": "t", "delta": "y"},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "data-a", "data": 1},
                {"type": "step-start"},
                {"type": "text", "text": "y", "state": "streaming"},
            ],
            "metadata": {},
        },
    ),
    (
        "a start with another id begins another message",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "text-start", "id": "t"},
            {"type": "start", "messageId": "m2"},
            {"type": "data-a", "data": 1},
        ],
        {"id": "m2", "role": "assistant", "parts": [{"type": "data-a", "data": 1}], "metadata": {}},
    ),
    (
        "a start with the same id changes nothing",
        [
            {"type": "start", "messageId": "m1"},
            {"type": "data-a", "data": 1},
            {"type": "start", "messageId": "m1"},
            {"type": "data-b", "data": 1},
        ],
        {
            "id": "m1",
            "role": "assistant",
            "parts": [{"type": "data-a", "data": 1}, {"type": "data-b", "data": 1}],
            "metadata": {},
        },
    ),
]


@pytest.mark.parametrize(("chunks", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_message_is_the_one_that_the_ai_sdk_makes(chunks: list[parts.Chunk], message: parts.Message) -> None:
    assert parts.fold(chunks) == message


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "text-delta", "id": "t", "delta": "x"},
        {"type": "text-end", "id": "t"},
        {"type": "reasoning-delta", "id": "t", "delta": "x"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "x"},
        {"type": "tool-output-available", "toolCallId": "c", "output": 1},
        {"type": "tool-output-denied", "toolCallId": "c"},
        {"type": "tool-approval-response", "approvalId": "a", "approved": True},
    ],
    ids=lambda chunk: chunk["type"],
)
def test_what_the_ai_sdk_refuses_is_refused(chunk: parts.Chunk) -> None:
    with pytest.raises(parts.MalformedChunk):
        parts.fold([{"type": "start", "messageId": "m1"}, chunk])


def test_an_error_is_kept_in_the_metadata_and_makes_no_part() -> None:
    message = parts.fold(
        [{"type": "start", "messageId": "m1"}, {"type": "error", "errorText": "no"}, {"type": "abort"}]
    )
    assert message == {"id": "m1", "role": "assistant", "parts": [], "metadata": {"error": "no"}}


def test_unknown_chunks_are_passed_over() -> None:
    assert parts.fold([{"type": "novelty", "x": 1}])["parts"] == []
