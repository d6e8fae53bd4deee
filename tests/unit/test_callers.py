"""The caller of a request behind proxies, and the part of an address that is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import callers, config, errors

OWN = callers.networks("10.0.0.0/8, 127.0.0.1, fd00::/8")


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["1.2.3.4, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["1.2.3.4", "198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, 10.1.2.3"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, nonsense, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", ["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
        ("fd00::1", ["2001:db8::5"], "2001:db8::5"),
        ("::ffff:127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("127.0.0.1", ["1.2.3.4:80, 198.51.100.1:4711, 10.1.2.3:443"], "198.51.100.1"),
        ("127.0.0.1", ["[2001:db8::5]:4711"], "2001:db8::5"),
        ("127.0.0.1", ["[2001:db8::5]"], "2001:db8::5"),
        ("127.0.0.1", ["[::ffff:198.51.100.1]:1"], "198.51.100.1"),
        ("127.0.0.1", ["1.2.3.4, :80"], "127.0.0.1"),
        ("", ["198.51.100.1"], ""),
    ],
)
def test_only_what_ones_own_proxies_say_is_believed(peer: str, forwarded: list[str], client: str) -> None:
    """# 002-04"""
    assert callers.client_of(peer, forwarded, OWN) == client


@given(st.lists(st.text(max_size=30), max_size=4))
def test_what_a_stranger_says_changes_nothing(said: list[str]) -> None:
    """Whatever stands in front of the address that one's own proxy has added."""
    assert callers.client_of("203.0.113.9", said, OWN) == "203.0.113.9"
    assert callers.client_of("127.0.0.1", [*said, "203.0.113.9"], OWN) == "203.0.113.9"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", None),
        ("", None),
    ],
)
def test_of_an_address_the_network_is_kept(address: str, kept: str | None) -> None:
    """A security event keeps part of an address, never all of it."""
    assert callers.prefix(address) == kept


@pytest.mark.parametrize(
    "wrong",
    [{"trusted_proxies": "proxy.example"}, {"trusted_proxies": "0.0.0.0/0"}, {"metrics_token": "short"}],
)
def test_settings_that_would_let_anybody_in_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(errors.ConfigurationError) as refused:
        config.Settings(_env_file=None, **wrong)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert f"LEAF_{next(iter(wrong)).upper()}" in refused.value.message


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::/64"),
        ("", callers.UNKNOWN),
        ("testclient", callers.UNKNOWN),
    ],
)
def test_somebody_without_an_account_is_counted_by_what_their_provider_gives_them(address: str, counted: str) -> None:
    """Decision 13."""
    assert callers.counted(address) == counted
