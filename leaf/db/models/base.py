"""The common base of all tables, and the enums of their columns."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar
from uuid import uuid4

from sqlalchemy import DateTime, Enum, MetaData, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import UserDefinedType
from sqlmodel import Field, SQLModel

from leaf.db.storable import StorableText


class IntegrationProvider(StrEnum):
    """Providers that can be connected. A new provider also needs `ALTER TYPE integration_provider ADD VALUE`."""

    GOOGLE_DRIVE = "google_drive"


class IntegrationStatus(StrEnum):
    ACTIVE = "active"
    ERROR = "error"
    REVOKED = "revoked"


class MessageRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    """The status of a message. `pending` and `streaming` are unfinished; a `waiting` answer waits for its reader."""

    PENDING = "pending"
    STREAMING = "streaming"
    COMPLETED = "completed"
    ERROR = "error"
    STOPPED = "stopped"
    WAITING = "waiting"


def utc_now() -> datetime:
    """The current time in UTC, with its time zone."""
    return datetime.now(UTC)


def enum(kind: type[StrEnum], name: str) -> Enum:
    """The column type for an enum."""
    return Enum(kind, name=name, values_callable=_values)


def _values(kind: type[StrEnum]) -> list[str]:
    return [member.value for member in kind]


PROVIDER = enum(IntegrationProvider, "integration_provider")
_CREATED = {"server_default": func.now()}
_UPDATED = {"server_default": func.now(), "onupdate": utc_now}
TIME = DateTime(timezone=True)


class HalfVector(UserDefinedType[str]):
    """A vector with numbers of two bytes each (`halfvec` of pgvector), written as `[0.1,0.2,…]`."""

    cache_ok = True

    def __init__(self, dimensions: int = 512) -> None:
        self.dimensions = int(dimensions)

    def get_col_spec(self, **_: Any) -> str:
        return f"leaf_vectors.halfvec({self.dimensions})"


class Base(SQLModel):
    """The base of Leaf's tables. It has its own metadata, so that every constraint has a predictable name."""

    __tablename__: ClassVar[str]  # pyright: ignore[reportIncompatibleVariableOverride] - a name is all that is needed

    metadata = MetaData(
        naming_convention={
            "pk": "%(table_name)s_pkey",
            "fk": "%(table_name)s_%(column_0_name)s_fkey",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "ck": "%(table_name)s_%(constraint_name)s_check",
            "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        }
    )


def key() -> Any:
    """The column for the id of a row."""
    kwargs = {"server_default": text("gen_random_uuid()")}
    return Field(default_factory=uuid4, primary_key=True, sa_column_kwargs=kwargs)


def owner() -> Any:
    """The column for a person. If the person is deleted, the row is deleted too."""
    return Field(foreign_key="users.id", ondelete="CASCADE", index=True)


def default(value: str | float | list[Any] | dict[str, Any], kind: Any = None, *, primary_key: bool = False) -> Any:
    """A column with a default.

    Args:
        value: The default. A list or object must be empty.
        kind: The type of the column, where it does not follow from the value.
        primary_key: Whether the column belongs to the primary key.
    """
    kind = kind or (StorableText if isinstance(value, str) else None)
    settings: dict[str, Any] = {} if kind is None else {"sa_type": kind}
    settings |= {"default_factory": type(value)} if isinstance(value, list | dict) else {"default": value}
    written = value if isinstance(value, str) else str(value).lower()
    if isinstance(kind, ARRAY):
        written = "{}"
    return Field(**settings, primary_key=primary_key, sa_column_kwargs={"server_default": written})


def created(*, index: bool = False) -> Any:
    """The column for the time at which the row was created."""
    return Field(default_factory=utc_now, sa_type=TIME, index=index, sa_column_kwargs=_CREATED)


def updated() -> Any:
    """The column for the time of the row's last change."""
    return Field(default_factory=utc_now, sa_type=TIME, sa_column_kwargs=_UPDATED)
