"""What a caller declares: its tools, and the document that they work on."""

from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from leaf import config, errors
from leaf.client_tools import schemas
from leaf.client_tools.reserved import RESERVED, SERVER_TOOLS

MOST_TOOLS = 32
DOCUMENT_CHARACTERS = 200


class ClientTool(BaseModel):
    """A tool that the caller runs, when and where the model asks for it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
    """What the model calls it by; none of Leaf's own tools' names."""
    version: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 1
    """Of its schema. A result is taken from a caller alone that has the version which the model was told of."""
    description: Annotated[str, Field(max_length=2000)] = ""
    """What it does, for the model."""
    inputSchema: dict[str, Any] = {"type": "object"}  # noqa: N815 - the wire's own spelling
    """JSON schema (2020-12) of its arguments, an object."""
    outputSchema: dict[str, Any] | None = None  # noqa: N815
    """JSON schema of its results; anything where none is given."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.name in SERVER_TOOLS | RESERVED or any(
            self.name.startswith(f"{server.name}_") for server in config.current().mcp_servers
        ):
            raise ValueError(f"“{self.name}” is the name of a tool of Leaf's own")
        if self.inputSchema.get("type", "object") != "object":
            raise ValueError("inputSchema has to describe an object")
        for field, schema in (("inputSchema", self.inputSchema), ("outputSchema", self.outputSchema)):
            problem = schemas.problem_of(schema) if schema is not None else ""
            if problem:
                raise ValueError(f"{field} {problem}")
        return self


class Declared(BaseModel):
    """What a run may ask its caller for."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    tools: tuple[ClientTool, ...] = ()
    document: str | None = None
    """What the tools work on, by the caller's own name for it: results about another one are refused."""

    def tool(self, name: str) -> ClientTool | None:
        """A tool by its name."""
        return next((one for one in self.tools if one.name == name), None)


def declared(tools: Iterable[ClientTool], document: str | None = None) -> Declared | None:
    """The tools of one request; None where there are none.

    Raises:
        errors.Invalid: There are too many, or two of one name.
    """
    found = tuple(tools)
    if len(found) > MOST_TOOLS:
        raise errors.Invalid(f"A request declares at most {MOST_TOOLS} tools.", field="clientTools")
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise errors.Invalid("Two of the tools have the same name.", field="clientTools")
    return Declared(tools=found, document=document) if found else None


def stored(value: dict[str, Any] | None) -> Declared | None:
    """What was declared, as a row keeps it. It was checked when it came, and is not checked again."""
    if value is None:
        return None
    tools = tuple(ClientTool.model_construct(**one) for one in value["tools"])
    return Declared.model_construct(tools=tools, document=value.get("document"))
