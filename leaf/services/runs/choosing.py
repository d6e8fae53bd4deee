"""With which model an answer is written: the one that was chosen, as long as it can be asked."""

import logging
from typing import Any

from leaf import catalog, config, errors
from leaf.db import models
from leaf.services import models as model_service

log = logging.getLogger(__name__)

EARLIER_MODELS = "earlierModelIds"
"""Of an answer's details: the models with which it was begun, and which could not be asked any more."""


def model_of(answer: models.Message) -> tuple[str, dict[str, Any]]:
    """The model that writes an answer, and what the answer says of itself with that.

    An answer may have waited for days, and its provider may not be configured any more. Then the model is selected
    anew, in the order in which those of its mode and type are (`leaf.catalog`). Where there is none at all it stays,
    and the run ends with words that say so.
    """
    chosen = answer.model or model_service.current().id
    if not catalog.why_not(config.current(), chosen):
        return chosen, answer.details
    mode, kind = catalog.chosen(answer.details.get("searchMode"), answer.details.get("modelType"))
    try:
        found = model_service.select(mode, kind).model
    except errors.ConfigurationError:
        return chosen, answer.details
    if catalog.why_not(config.current(), found):
        return chosen, answer.details
    log.warning("answer %s goes on with %s: %s cannot be asked any more", answer.id, found, chosen)
    earlier = [*answer.details.get(EARLIER_MODELS, []), chosen]
    return found, {**answer.details, "modelId": found, EARLIER_MODELS: earlier}
