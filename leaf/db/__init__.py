"""The database: tables (`models`), transactions (`session`), migrations (`migrate`), sealed tokens (`seal`)."""

from leaf.db.actor import Actor
from leaf.db.session import Transaction, transaction
