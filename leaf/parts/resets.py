"""A rewind, as clients of the AI SDK 7 understand it: the step that is being written begins anew."""

from collections.abc import Sequence

from leaf.parts.chunks import VOID, Chunk

RESET = "reset-step"
_BETWEEN_STEPS = {"finish-step", "start-step", "message-metadata", VOID}


def reset(chunks: Sequence[Chunk], index: int) -> list[Chunk]:
    """What a reader is sent in the place of a `data-rewind`.

    Args:
        chunks: All of the run before the `data-rewind`, without what earlier ones dropped.
        index: The first chunk that is dropped.

    Returns:
        `reset-step`, and what is kept of that step once more. It is empty where the rewind reaches further back than
        into one step: the reader has to read the run from its beginning.
    """
    dropped = [chunk["type"] for chunk in chunks[index:]]
    if "start-step" in dropped:
        begins = len(dropped) - 1 - dropped[::-1].index("start-step")
        return [{"type": RESET}] if set(dropped[:begins]) <= _BETWEEN_STEPS else []
    begins = max((at for at, chunk in enumerate(chunks[:index]) if chunk["type"] == "start-step"), default=-1)
    return [{"type": RESET}, *chunks[begins + 1 : index]]
