"""What is different in two answers, in short."""

from leaf.services import comparisons


def test_a_difference_is_plain_text() -> None:
    """Links are their words, quotes are not set off by a sign, and footnotes have no numbers."""
    before = "The rent is 1,850."
    after = "The rent is in [the lease. Page 2](https://evil.example/pay).\n\n> The rent is 1,990.[^1]"
    assert comparisons.in_short(comparisons.difference(before, after)) == [
        ("-", "The rent is 1,850."),
        ("+", "The rent is in the lease."),
        ("+", "Page 2."),
        ("+", "The rent is 1,990."),
    ]
    assert comparisons.difference("See [it](https://a.example/).[^1]", "> See [it](https://b.example/).[^2]") == ""
