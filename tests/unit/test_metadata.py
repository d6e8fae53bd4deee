"""Metadata of programs comes back as it was sent, or is refused."""

import pytest

from leaf import errors
from leaf.sites.metadata import metadata_of


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_lacks_are_refused(number: float) -> None:
    """`1e999` in a body is read as infinite; it would be kept as null. # 003-45"""
    with pytest.raises(errors.Invalid):
        metadata_of({"list": [{"number": number}]})


@pytest.mark.parametrize("text", ["\\u0000", "C:\\u0000", "\\\\u0000", "\\\\\\u0000", '"\\u0000'])
def test_text_that_spells_an_escape_is_kept(text: str) -> None:
    """# 003-45"""
    assert metadata_of({"pattern": text}) == {"pattern": text}


@pytest.mark.parametrize("text", ["\0", "\\\0", "\\\\\0", "x\0", "\\u0000\0"])
def test_a_text_with_nul_is_refused(text: str) -> None:
    """# 003-45"""
    with pytest.raises(errors.Invalid):
        metadata_of({"text": text})
    with pytest.raises(errors.Invalid):
        metadata_of({text: 1})
