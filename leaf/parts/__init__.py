"""Chunks, and the parts of a message that they form. Pure, without I/O.

The terms are those of the AI SDK. A chunk is a UI message chunk. A message is the result of `readUIMessageStream` in
the npm package `ai` 7, but `metadata` is always present, and an `error` chunk is kept as `metadata["error"]`.
"""

from leaf.parts.blocks import Blocks, blocks
from leaf.parts.chunks import (
    DELTAS,
    RESUMED,
    REWIND,
    TAKEN_OVER,
    VOID,
    Chunk,
    MalformedChunk,
    Message,
    Part,
    copy_json,
    merge_deltas,
    taken_over,
    void_rewound,
)
from leaf.parts.content import answer_text, close_open_parts, data_of, narration, question_text, sources_of, text_of
from leaf.parts.failures import (
    cause_of_loss,
    drive_failed,
    failed,
    failure,
    is_of_empty_drive,
    is_without_drive,
    keyed,
    message_of,
    message_of_entry,
    reason_of_entry,
    was_stopped,
)
from leaf.parts.fold import Fold, fold
from leaf.parts.normal_forms import normalized, split_address, stream_safe
from leaf.parts.offers import OFFERING, RELATED, questions_of, suggested
from leaf.parts.plain import encoded, is_visible, plain_json, plain_text, without_unseen
from leaf.parts.replay import SentChunks, replay
from leaf.parts.spans import Spans, lasted_ms, span_of
from leaf.parts.state import DRIVE_TOOLS, TOOLS, is_open_call, is_running_call, is_tool, tool_name
