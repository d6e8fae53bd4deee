"""The database: tables (`models`), the one way in (`session.transaction`), migrations (`migrate`)."""

from leaf.db.actor import Actor
from leaf.db.session import Transaction, transaction

__all__ = ["Actor", "Transaction", "transaction"]
