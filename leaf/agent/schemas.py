"""The schemas of tools in the form that a provider accepts, made once for each schema.

pydantic-ai makes them at each request of a run, which takes 18 tools about 10 % of the CPU of a short run.
"""

from functools import lru_cache
from typing import Any

import orjson
from pydantic_ai import JsonSchemaTransformer
from pydantic_ai.profiles import ModelProfile

_KEPT = 512
"""Schemas that are kept: those of servers and pages come and go."""
_LARGEST = 20_000
"""The length of a written schema up to which it is kept, in bytes."""
Schema = dict[str, Any]


def make_once(profile: ModelProfile) -> None:
    """Have a model keep the schemas that its profile makes."""
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
            except TypeError:  # Too deep, or with a number of more than 64 bits.
                written = b""
            is_kept = 0 < len(written) <= _LARGEST
            self._made, self.is_strict_compatible = kept(written, strict) if is_kept else made(schema, strict)

        def walk(self) -> Schema:
            return self._made

    return Keeping
