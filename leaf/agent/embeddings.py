"""The model that computes vectors of passages and questions: the encoder of this machine, or a provider's model."""

from collections.abc import Sequence
from typing import Final

from pydantic_ai.embeddings import (
    Embedder,
    EmbeddingModel,
    EmbeddingResult,
    EmbeddingSettings,
)
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.exceptions import ModelAPIError, UserError

from leaf import config, errors
from leaf.agent import encoder, models

FAILURES: Final = (encoder.Unavailable, errors.Unavailable, UserError, ModelAPIError)
"""The exceptions of a model that does not answer."""


class LocalModel(EmbeddingModel):
    """The encoder of this machine."""

    @property
    def model_name(self) -> str:
        return "universal-sentence-encoder-multilingual-3"

    @property
    def system(self) -> str:
        return "local"

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Computes the vectors of texts, in the same way for questions and passages.

        Raises:
            encoder.Unavailable: The encoder's process does not answer.
        """
        texts, _ = self.prepare_embed(inputs, settings)
        return EmbeddingResult(
            await encoder.current().vectors(texts), inputs=texts, input_type=input_type, model_name=self.model_name,
            provider_name=self.system,
        )  # fmt: skip


def current() -> Embedder:
    """Returns the embedder of the settings (LEAF_EMBEDDINGS).

    Raises:
        errors.Unavailable: The provider is unknown, or its key is missing.
    """
    name = config.current().embeddings
    model = LocalModel() if name == config.LOCAL else models.build_embedder(name)
    return Embedder(model, settings=EmbeddingSettings(dimensions=encoder.DIMENSIONS))


async def of_passages(texts: Sequence[str]) -> list[Sequence[float]]:
    """Returns the vectors of passages.

    Raises:
        errors.Unavailable: The model is unknown, or its vectors do not have the length of those in the database.
        Exception: One of `FAILURES`.
    """
    return _checked(await current().embed_documents(texts))


async def of_queries(texts: Sequence[str]) -> list[Sequence[float]]:
    """Returns the vectors of questions. Raises the same exceptions as `of_passages`."""
    return _checked(await current().embed_query(texts))


def _checked(result: EmbeddingResult) -> list[Sequence[float]]:
    wrong = {len(vector) for vector in result.embeddings} - {encoder.DIMENSIONS}
    if wrong:
        raise errors.Unavailable(
            f"The model of LEAF_EMBEDDINGS makes vectors of {min(wrong)} numbers; Leaf needs {encoder.DIMENSIONS}."
        )
    return list(result.embeddings)


def batch() -> int:
    """Returns the number of passages in one request to the model."""
    # The encoder computes 20 to 100 vectors a second, and a question has to wait until a batch ends.
    return 8 if config.current().embeddings == config.LOCAL else 64
