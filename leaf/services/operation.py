"""The models and alerts of an installation, for its administrators, and the trial of a model."""

from dataclasses import dataclass
from typing import Any, Final

from leaf import config, errors, queue, texts
from leaf.config import catalog, local, model_servers
from leaf.services import administration, chats, models, readiness
from leaf.services.accounts import Session
from leaf.services.library import vectors
from leaf.texts import Message

TRIAL: Final = "try_model"
"""The name of the job that tries a model."""
TRIAL_SECONDS: Final = 60.0
"""The longest wait for the model, because a local server may have to load it first."""
_ANSWER_SECONDS: Final = TRIAL_SECONDS + 10


@dataclass(frozen=True)
class Known:
    """A model that this Leaf knows. `off` is the reason why it cannot be chosen; None if it can."""

    id: str
    label: str
    provider: str
    """Name of the provider, or name and address of the server."""
    usual: bool = False
    """Whether the model is the default."""
    off: Message | None = None


@dataclass(frozen=True)
class Key:
    """A setting with a key or an address of a provider. `present` says whether it is set; the value is not kept."""

    variable: str
    provider: str
    present: bool


@dataclass(frozen=True)
class Trial:
    """The outcome of a trial: the time until the answer in seconds, or the reason for the failure."""

    seconds: float = 0
    failure: str = ""


async def known_models(session: Session) -> list[Known]:
    """All models of the settings and of the model servers that were found, the default model first.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    await administration.require(session)
    settings = config.current()
    offered = catalog.offered(settings)
    listed = () if settings.model else catalog.table(settings.models_file, cloud=settings.cloud).every
    found = [server.id_of(model) for server in local.found() for model in server.models]
    usual = models.current().id
    return [_known_model(settings, one, usual) for one in dict.fromkeys((*offered, *found, *listed))]


async def keys(session: Session) -> list[Key]:
    """The variables of all providers, and whether each is set.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    await administration.require(session)
    settings = config.current()
    found: dict[str, Key] = {}
    for provider in catalog.PROVIDERS.values():
        for field in (one for need in provider.needs for one in need):
            variable = settings.variable(field)
            found.setdefault(variable, Key(variable, provider.label, settings.has(field)))
    return list(found.values())


async def look_for_servers(session: Session) -> None:
    """Looks for model servers at once, including addresses where another program has answered.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    await administration.require(session)
    await model_servers.look(again=True)


async def alerts(session: Session) -> list[Message]:
    """The problems of this installation that an administrator can solve, each as a sentence.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    await administration.require(session)
    found = await readiness.check()
    alerts: list[Message] = []
    if found.parts["database"] != "ok":
        alerts.append(texts.english("operation.database_away"))
    if found.parts["redis"] != "ok":
        alerts.append(texts.english("operation.redis_away"))
    if found.parts["worker"] == "none alive":
        alerts.append(texts.english("operation.no_worker", count=found.waiting.count))
    if found.parts["worker"] == "busy":
        seconds = round(found.waiting.seconds)
        alerts.append(texts.english("operation.busy", count=found.waiting.count, seconds=seconds))
    stopped = [server for server in local.found() if not server.answers]
    alerts += [texts.english("operation.server_stopped", label=one.label, address=one.address) for one in stopped]
    if catalog.select(config.current(), catalog.Mode.QUICK, catalog.Kind.SPEED).model.startswith("sandbox:"):
        alerts.append(texts.english("operation.sandbox"))
    if found.parts["database"] == "ok" and config.current().vector_model and not await vectors.have_table():
        alerts.append(texts.english("operation.no_vectors"))
    if large := len(await chats.large()):
        alerts.append(texts.english("operation.large_chats", count=large))
    if found.parts["database"] == "ok":
        alerts += [
            texts.english(
                _of_drive(one), count=one.members, row=one.found.row.number, accounts=one.accounts, text=one.text
            )
            for one in await administration.drive_failures(session)
        ]
    return alerts


def _of_drive(failure: administration.DriveFailure) -> str:
    match failure.found.row.mender:
        case "member" if not failure.found.row.forward:
            return "operation.drive_failure_members"
        case "workspace":
            return "operation.drive_failure_workspace"
        case "leaf":
            return "operation.drive_bug"
        case _:
            return "operation.drive_failure"


async def try_model(session: Session, model_id: str) -> Trial:
    """Tries a model: a worker sends it a short question with a tool.

    Raises:
        errors.NotFound: The actor is not an administrator, or there is no such model.
        errors.RedisUnavailable: Redis does not answer.
    """
    if model_id not in {one.id for one in await known_models(session)}:
        raise errors.NotFound("model")
    try:
        result: dict[str, Any] = await queue.current().call(TRIAL, model_id, seconds=_ANSWER_SECONDS, every_seconds=0.2)
    except TimeoutError:
        return Trial(failure=texts.say("operation.trial_untaken"))
    if failure := str(result.get("failure") or ""):
        return Trial(failure=texts.stored(result.get("message"), failure))
    return Trial(float(result["seconds"]))


def _known_model(settings: config.Settings, model_id: str, usual: str) -> Known:
    info = models.info(model_id)
    provider = catalog.PROVIDERS[model_id.partition(":")[0]]
    off = _off(settings, model_id)
    return Known(model_id, info.label, info.server or provider.label, usual=model_id == usual, off=off)


def _off(settings: config.Settings, model_id: str) -> Message | None:
    """The reason why a model cannot be chosen, as a text; None if it can."""
    address, _ = local.parts(model_id)
    missing = catalog.PROVIDERS[model_id.partition(":")[0]].missing(settings)
    if missing:
        return texts.english("operation.off_missing", variables=", ".join(missing))
    server = next((one for one in local.found() if one.address == address), None)
    if server is not None and not server.answers:
        return texts.english("operation.off_stopped", address=address)
    known = local.model(model_id)
    if known is not None and known.calls_tools is False:
        return texts.english("operation.off_tools")
    if catalog.why_not(settings, model_id):
        return texts.english("operation.off_sandbox")
    return None
