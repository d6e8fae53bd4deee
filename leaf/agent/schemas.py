"""A cache for the schemas of tools in the form that a provider accepts.

pydantic-ai would convert all schemas at each request. For 18 tools, that takes about 10 % of the CPU of a short run.
"""

from functools import lru_cache
from typing import Any

import orjson
from pydantic_ai import JsonSchemaTransformer
from pydantic_ai.profiles import ModelProfile

_KEPT = 512
"""The maximum number of cached schemas. Schemas of MCP servers and of pages change over time."""
_LARGEST = 20_000
"""The maximum size of a cached schema as JSON, in bytes."""
Schema = dict[str, Any]


def make_once(profile: ModelProfile) -> None:
    """Adds a cache to the transformer of schemas in a model's profile."""
    transformer = profile.get("json_schema_transformer")
    if transformer is not None:
        profile["json_schema_transformer"] = _keeping(transformer)


def _keeping(transformer: type[JsonSchemaTransformer]) -> type[JsonSchemaTransformer]:
    @lru_cache(_KEPT)
    def kept(written: bytes, strict: bool | None) -> tuple[Schema, bool]:
        return made(orjson.loads(written), strict)

    def made(schema: Schema, strict: bool | None) -> tuple[Schema, bool]:
        one = transformer(schema, strict=strict)
        return one.walk(), one.is_strict_compatible

    class Keeping(transformer):
        def __init__(self, schema: Schema, *, strict: bool | None = None) -> None:
            try:
                written = orjson.dumps(schema)
            except TypeError:  # The schema is nested too deep, or has a number of more than 64 bits.
                written = b""
            is_kept = 0 < len(written) <= _LARGEST
            self._made, self.is_strict_compatible = kept(written, strict) if is_kept else made(schema, strict)

        def walk(self) -> Schema:
            return self._made

    return Keeping
