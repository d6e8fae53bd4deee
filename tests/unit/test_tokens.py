"""Sealing, signing and hashing."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import errors
from leaf.callers import tokens

KEYS = (("new", tokens.new_seal_key()), ("old", tokens.new_seal_key()))
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT)
def test_what_is_sealed_can_be_opened(secret: str) -> None:
    sealer = tokens.Sealer(KEYS)
    sealed = sealer.seal(secret)
    assert sealer.open(sealed) == secret
    assert sealed.startswith("new:")
    assert len(secret) < 4 or secret not in sealed
    assert sealer.seal(secret) != sealed, "two sealings of one secret cannot be told to be the same"


@given(TEXT, st.integers(min_value=0), st.characters())
def test_a_changed_seal_does_not_open(secret: str, position: int, character: str) -> None:
    sealed = tokens.Sealer(KEYS).seal(secret)
    position %= len(sealed)
    changed = sealed[:position] + character + sealed[position + 1 :]
    try:
        assert tokens.Sealer(KEYS).open(changed) == secret
    except errors.ConfigurationError:
        assert changed != sealed


@pytest.mark.parametrize("value", ["", ":", "new", "new:", "new:x", "other:gAAAA", "new:\ud800", "new:ä", "\0"])
def test_garbage_does_not_open(value: str) -> None:
    with pytest.raises(errors.ConfigurationError):
        tokens.Sealer(KEYS).open(value)


@given(TEXT)
def test_an_older_key_still_opens(secret: str) -> None:
    """Decision 6: keys can be rotated."""
    sealed = tokens.Sealer(KEYS[1:]).seal(secret)
    assert tokens.Sealer(KEYS).open(sealed) == secret
    with pytest.raises(errors.ConfigurationError, match="'old'"):
        tokens.Sealer(KEYS[:1]).open(sealed)


def test_no_key_is_shown() -> None:
    assert KEYS[0][1] not in repr(tokens.Sealer(KEYS))


CLAIMS = st.dictionaries(st.text(string.ascii_lowercase, min_size=4), st.integers() | TEXT | st.booleans(), max_size=4)


@given(CLAIMS, st.text(string.printable, min_size=1))
def test_what_is_signed_verifies_for_its_purpose_alone(claims: dict[str, object], purpose: str) -> None:
    key = "k" * 40
    signed = tokens.sign(claims, key=key, purpose=purpose)
    assert tokens.verify(signed, key=key, purpose=purpose) == {**claims, "aud": purpose}
    for other_key, other_purpose in (("x" * 40, purpose), (key, purpose + "x")):
        with pytest.raises(errors.Invalid):
            tokens.verify(signed, key=other_key, purpose=other_purpose)


def test_an_edited_signature_does_not_verify() -> None:
    """Also where base64 ignores the edit: padding, and the unused bits of the last character. # 004-05"""
    signed = tokens.sign({}, key="k" * 40, purpose="x")
    edited = {signed[:-1] + last for last in string.ascii_letters + string.digits + "-_=\n"} - {signed}
    for value in edited | {signed + "=", signed + "==", signed + "\n", signed + "*"}:
        with pytest.raises(errors.Invalid):
            tokens.verify(value, key="k" * 40, purpose="x")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a",
        "a.b.c",
        "eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.",
        "\ud800",
        tokens.sign({"exp": 1}, key="k" * 40, purpose="x"),
    ],
)
def test_what_is_unsigned_or_over_does_not_verify(value: str) -> None:
    with pytest.raises(errors.Invalid):
        tokens.verify(value, key="k" * 40, purpose="x")


def test_tokens_are_long_and_say_what_they_are() -> None:
    made = {tokens.new("session") for _ in range(100)}
    assert len(made) == 100
    assert all(token.startswith("leaf_session_") and len(token) == 56 for token in made)


@given(TEXT, TEXT)
def test_comparing_is_equality(left: str, right: str) -> None:
    assert tokens.same(left, right) == (left == right)
    assert (tokens.digest(left) == tokens.digest(right)) == (left == right)
