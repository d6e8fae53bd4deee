"""The tools of the fault bench: one that changes something and counts how often, and one that takes its time."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from pydantic_ai import FunctionToolset, RunContext

from leaf.agent.deps import Deps

FOLDER = "LEAF_CHAOS_NOTES"
"""The environment variable that names the folder of the notes."""


def toolset() -> FunctionToolset[Deps]:
    """Both tools."""
    return FunctionToolset([keep_note, wait_a_moment])


async def keep_note(ctx: RunContext[Deps], text: str) -> dict[str, str]:
    """Keeps a note, once for each call: a second execution of the same call finds it there."""
    folder = Path(os.environ[FOLDER])
    assert ctx.tool_call_id is not None
    _count(folder, ctx, text)
    try:
        with (folder / ctx.tool_call_id).open("x") as note:
            json.dump({"run": str(ctx.deps.run_id), "text": text}, note)
    except FileExistsError:
        pass
    await asyncio.sleep(0.05)
    return {"kept": text}


async def wait_a_moment(ctx: RunContext[Deps], seconds: float, mark: str) -> dict[str, Any]:
    """Waits; with the mark of a conversation whose tool hangs, the first execution never ends."""
    folder = Path(os.environ[FOLDER])
    hang = folder / f"{mark}.hang"
    _count(folder, ctx, mark)
    if hang.exists():
        hang.unlink()
        await asyncio.sleep(3600)
    await asyncio.sleep(seconds)
    return {"waited": seconds}


def _count(folder: Path, ctx: RunContext[Deps], what: str) -> None:
    line = json.dumps({"run": str(ctx.deps.run_id), "call": ctx.tool_call_id, "what": what, "at": time.time()}) + "\n"
    descriptor = os.open(folder / "executions.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)
