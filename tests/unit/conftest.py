"""Fixtures of all unit tests."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from leaf.documents.tables import engine


@pytest.fixture(scope="session", autouse=True)
def unsealed_engine() -> Iterator[None]:
    """Computations in this process leave its descriptors alone: threads of other tests' servers need them at that
    moment. Computations in children, as in the product, are sealed (`test_hostile_sql.py`).
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "_sealed", nullcontext)
        yield
