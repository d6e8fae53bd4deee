"""The trial of a model for an administrator: one short question with a tool, which every model has to accept."""

import asyncio
import logging
import time
from typing import Any

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from leaf import texts
from leaf.agent import models, translate
from leaf.config import model_servers
from leaf.services import operation

log = logging.getLogger(__name__)

_QUESTION = "Reply with the one word: ready"
_TOOL = ToolDefinition(
    name="note_word",
    description="Notes a word.",
    parameters_json_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)


async def try_model(ctx: dict[str, Any], model_id: str) -> dict[str, Any]:  # noqa: ARG001 - arq passes its context
    """Asks a model. Returns `seconds` until its reply, or the text of the `failure` and its `message` as data."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(operation.TRIAL_SECONDS):
            await model_servers.prepare(model_id)
            await model_request(
                models.build(model_id),
                [ModelRequest.user_text_prompt(_QUESTION)],
                model_request_parameters=ModelRequestParameters(function_tools=[_TOOL]),
            )
    except TimeoutError:
        return _failed(texts.english("failures.timeout"))
    except Exception as error:  # noqa: BLE001 - the administrator is shown any failure
        failure = translate.explain(translate.cause(error, begun=False), model_id)
        log.info("the trial of a model failed: %s (%s)", failure.code, type(error).__name__)
        return _failed(failure.text)
    return {"seconds": round(time.monotonic() - began, 1)}


def _failed(text: str) -> dict[str, Any]:
    return {"failure": str(text), "message": text.as_data() if isinstance(text, texts.Message) else None}
