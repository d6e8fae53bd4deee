"""Chunks and the parts of a message that they make: pure, no I/O.

The vocabulary is the AI SDK's: a chunk is one UI message chunk, a message is what `readUIMessageStream` of the npm
package `ai` 7 makes of them, with `metadata` always present and an `error` chunk kept as `metadata["error"]`.
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
from leaf.parts.offers import OFFERING, clicked
from leaf.parts.plain import encoded, is_visible, plain_json, plain_text, without_unseen
from leaf.parts.replay import Sent, replay
from leaf.parts.spans import Spans, lasted_ms, span_of
from leaf.parts.state import DRIVE_TOOLS, is_open_call, is_running_call, is_tool, tool_name
