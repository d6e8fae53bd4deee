"""The pauses between attempts while a service is away."""

import time

import pytest

from leaf.streams.outages import Outage


def test_the_pauses_of_a_long_outage_grow_and_those_of_the_next_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    outage, attempts = Outage(), 0
    pauses: list[float] = []
    while now < 1300:
        pauses.append(outage.pause())
        now += pauses[-1]
        attempts += 1
    assert pauses[:3] == [2.0, 2.0, 2.0], "a short outage ends soon"
    assert pauses == sorted(pauses)
    assert pauses[-1] == 10.0
    assert attempts < 45, "five minutes cost a quarter of the attempts that equal pauses would"
    now += 60
    assert outage.pause() == 2.0
