"""A cache for the schemas of tools in the form that a provider accepts.

pydantic-ai would convert all schemas at each request. For 18 tools, that takes about 10 % of the CPU of a short run.
"""

from functools import lru_cache
from typing import Any

import orjson
from pydantic_ai import JsonSchemaTransformer
from pydantic_ai.profiles import ModelProfile

_CACHED = 512
"""The maximum number of cached schemas. Schemas of MCP servers and of pages change over time."""
_LARGEST = 20_000
"""The maximum size of a cached schema as JSON, in bytes."""
Schema = dict[str, Any]


def make_once(profile: ModelProfile) -> None:
    """Adds a cache to the transformer of schemas in a model's profile."""
    transformer = profile.get("json_schema_transformer")
    if transformer is not None:
        profile["json_schema_transformer"] = _cached(transformer)


def _cached(transformer: type[JsonSchemaTransformer]) -> type[JsonSchemaTransformer]:
    @lru_cache(_CACHED)
    def from_cache(written: bytes, strict: bool | None) -> tuple[Schema, bool]:
        return transformed(orjson.loads(written), strict)

    def transformed(schema: Schema, strict: bool | None) -> tuple[Schema, bool]:
        result = transformer(schema, strict=strict)
        return result.walk(), result.is_strict_compatible

    class Cached(transformer):
        def __init__(self, schema: Schema, *, strict: bool | None = None) -> None:
            try:
                written = orjson.dumps(schema)
            except TypeError:  # The schema is nested too deep, or has a number of more than 64 bits.
                written = b""
            result = from_cache(written, strict) if 0 < len(written) <= _LARGEST else transformed(schema, strict)
            self._schema, self.is_strict_compatible = result

        def walk(self) -> Schema:
            return self._schema

    return Cached
