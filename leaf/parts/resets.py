"""Translation of a rewind for clients of the AI SDK 7: `reset-step` and the kept chunks of the step."""

from collections.abc import Sequence

from leaf.parts.chunks import VOID, Chunk

RESET = "reset-step"
_BETWEEN_STEPS = {"finish-step", "start-step", "message-metadata", VOID}


def reset(chunks: Sequence[Chunk], index: int) -> list[Chunk]:
    """The chunks that replace a `data-rewind` for such a reader.

    Args:
        chunks: All chunks of the run before the `data-rewind`, without those that earlier ones dropped.
        index: The first dropped chunk.

    Returns:
        `reset-step` and the kept chunks of that step. Empty if the rewind reaches back beyond one step: then the reader
        has to read the run from its beginning.
    """
    dropped = [chunk["type"] for chunk in chunks[index:]]
    if "start-step" in dropped:
        begins = len(dropped) - 1 - dropped[::-1].index("start-step")
        return [{"type": RESET}] if set(dropped[:begins]) <= _BETWEEN_STEPS else []
    begins = max((at for at, chunk in enumerate(chunks[:index]) if chunk["type"] == "start-step"), default=-1)
    return [{"type": RESET}, *chunks[begins + 1 : index]]
