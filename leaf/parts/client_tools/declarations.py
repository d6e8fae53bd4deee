"""Declarations that a caller makes: its tools, and the document that they work on."""

from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from leaf import config, errors, parts
from leaf.parts.client_tools import schemas

RESERVED = frozenset({"imported_turn", "final_result", "search_drive"})
"""Names that Leaf, its stored chats or its agent library use, although there is no tool of that name to call."""
SERVER_TOOLS = parts.TOOLS - RESERVED
"""The names of the tools that Leaf itself has now."""

MOST_TOOLS = 32
DOCUMENT_CHARACTERS = 200


class ClientTool(BaseModel):
    """A tool that runs at the caller when the model calls it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
    """The name that the model calls; reserved names are refused."""
    version: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 1
    """The version of its schema. A result is accepted only from a caller with the version that the model saw."""
    description: Annotated[str, Field(max_length=2000)] = ""
    """The description for the model."""
    inputSchema: dict[str, Any] = {"type": "object"}  # noqa: N815 - the wire's own spelling
    """The JSON schema (2020-12) of the arguments; they form an object."""
    outputSchema: dict[str, Any] | None = None  # noqa: N815
    """The JSON schema of the results; None accepts any result."""

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
    """The declarations for a run."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    tools: tuple[ClientTool, ...] = ()
    document: str | None = None
    """The caller's own name for the document that the tools work on. Results for another document are refused."""

    def tool(self, name: str) -> ClientTool | None:
        """The tool with a name; None if it is not declared."""
        return next((one for one in self.tools if one.name == name), None)


def declared(tools: Iterable[ClientTool], document: str | None = None) -> Declared | None:
    """Checks the tools of a request and returns them; None if there are none.

    Raises:
        errors.Invalid: There are too many tools, or two have the same name.
    """
    found = tuple(tools)
    if len(found) > MOST_TOOLS:
        raise errors.Invalid(f"A request may declare at most {MOST_TOOLS} tools.", field="clientTools")
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise errors.Invalid("Two of the tools have the same name.", field="clientTools")
    return Declared(tools=found, document=document) if found else None


def stored(value: dict[str, Any] | None) -> Declared | None:
    """The declarations in a stored row. They are not checked again, because they were checked on arrival."""
    if value is None:
        return None
    tools = tuple(ClientTool.model_construct(**one) for one in value["tools"])
    return Declared.model_construct(tools=tools, document=value.get("document"))


def is_at_caller(part: parts.Part) -> bool:
    """Whether a call is for a tool at the caller, not for one of Leaf's or an MCP server's."""
    return (
        parts.is_tool(part) and part["type"] != "dynamic-tool" and parts.tool_name(part) not in SERVER_TOOLS | RESERVED
    )
