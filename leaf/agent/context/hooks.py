"""Hooks around the agent's requests: length, attached pictures, estimates and prices, and retries after a refusal."""

from pydantic_ai import RunContext
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import RetryModelRequest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext

from leaf.agent import attachments
from leaf.agent.context import budget, costs
from leaf.agent.deps import Deps


def hooks() -> Hooks[Deps]:
    """Returns hooks that fit each request to its model.

    A refused request is sent again in another form: shortened if it was too long, or with texts in place of pictures if
    the model does not support pictures.
    """
    hooks: Hooks[Deps] = Hooks()

    async def prepare(ctx: RunContext[Deps], request_context: ModelRequestContext) -> ModelRequestContext:
        # Each attempt starts from all messages. A shortened request removes nothing from the chat or the checkpoint.
        window = ctx.deps.context
        if window is not None:
            first_new = len(window.summaries)
            attached = ctx.deps.attachments
            pictures = await attached.pictures(request_context.messages, window.tokens) if attached else {}
            await budget.fit(window, request_context, len(pictures) * attachments.TOKENS)
            request_context.messages = attachments.shown(request_context.messages, pictures)
            if attached is not None and attached.refused:
                request_context.messages = attachments.as_text(request_context.messages)
            costs.add(ctx.usage, window.summaries[first_new:])
            await costs.keep(ctx.deps.journal, window.summaries, first_new)
        return request_context

    async def refused(
        ctx: RunContext[Deps], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        attached = ctx.deps.attachments
        if attached is not None and attached.take_refusal(request_context.messages, error):
            raise RetryModelRequest
        if ctx.deps.context is not None and budget.is_too_long(error) and ctx.deps.context.narrow():
            raise RetryModelRequest
        raise error

    async def answered(
        ctx: RunContext[Deps],
        *,
        request_context: ModelRequestContext,  # noqa: ARG001
        response: ModelResponse,
    ) -> ModelResponse:
        if ctx.deps.context is not None:
            budget.record_estimate(ctx.deps.context, response)
            # pydantic-ai has counted the tokens. It checks the limits after this hook, so the price is added here.
            costs.price(ctx.usage, response, ctx.deps.context.model_id)
        return response

    hooks.on.prepare_model_request(prepare)
    hooks.on.model_request_error(refused)
    hooks.on.after_model_request(answered)
    return hooks
