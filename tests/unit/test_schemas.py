"""Schemas of tools in a provider's form."""

from typing import Any

from pydantic_ai import JsonSchemaTransformer
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from leaf.agent import schemas


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties]}


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        found = {"type": "array", "items": found}
    return schema(a=found)


SCHEMAS = [
    schema(), schema(a={"type": "string", "minLength": 2}), schema(a={"type": "integer", "minimum": 2**70}), deep(300),
    {**schema(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "string", "title": "A"}}},
    schema(**{f"p{number}": {"type": "string", "description": "x" * 90} for number in range(400)}),
]  # fmt: skip


def profile(transformer: type[JsonSchemaTransformer]) -> type[JsonSchemaTransformer]:
    found = ModelProfile(json_schema_transformer=transformer)
    schemas.make_once(found)
    kept = found.get("json_schema_transformer")
    assert kept is not None
    return kept


def test_schemas_are_those_that_the_provider_would_be_sent_anyway() -> None:
    kept = profile(OpenAIJsonSchemaTransformer)
    for one in [*SCHEMAS, *SCHEMAS]:
        for strict in (None, True, False):
            plain, again = OpenAIJsonSchemaTransformer(one, strict=strict), kept(one, strict=strict)
            assert (again.walk(), again.is_strict_compatible) == (plain.walk(), plain.is_strict_compatible)


def test_a_schema_is_made_once() -> None:
    made: list[dict[str, Any]] = []

    class Counting(OpenAIJsonSchemaTransformer):
        def walk(self) -> dict[str, Any]:
            made.append(self.schema)
            return super().walk()

    kept = profile(Counting)
    for _ in range(3):
        assert "a" in kept(schema(a={"type": "string"})).walk()["properties"]
    assert len(made) == 1
    assert "b" in kept(schema(b={"type": "string"})).walk()["properties"]
    assert len(made) == 2
    for _ in range(2):
        kept(SCHEMAS[-1]).walk()
    assert len(made) == 4, "a large schema is not kept"


def test_a_profile_without_schemas_of_its_own_stays_as_it_is() -> None:
    found = ModelProfile(json_schema_transformer=None)
    schemas.make_once(found)
    assert found == {"json_schema_transformer": None}
