"""What is different in two answers, in short."""

from leaf.services import comparisons


def test_a_difference_to_be_sent_is_plain_text() -> None:
    """Links are their words, and quotes are not set off by a sign."""
    before = "The rent is 1,850."
    after = "The rent is in [the lease. Page 2](https://evil.example/pay).\n\n> The rent is 1,990 [^1]."
    assert comparisons.short_difference(before, after) == [
        ("-", "The rent is 1,850."),
        ("+", "The rent is in the lease."),
        ("+", "Page 2."),
        ("+", "The rent is 1,990 ."),
    ]
    assert comparisons.short_difference("See [it](https://a.example/).", "> See [it](https://b.example/).") == []
