"""The two people who may sign in to the sandbox, and the client that may ask them for access."""

from dataclasses import dataclass

CLIENT_ID = "leaf-sandbox"
CLIENT_SECRET = "leaf-sandbox-secret"  # noqa: S105 - public and fixed, no secret
"""The secret of the only client. Leaf's settings have the same id and secret."""


@dataclass(frozen=True)
class Account:
    """A Google account of the sandbox. `subject` is the constant `sub` of its id_token."""

    key: str
    subject: str
    email: str
    given_name: str
    family_name: str
    colour: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.given_name} {self.family_name}"


ADA = Account("ada", "108100000000000000001", "ada@sandbox.leaf.example", "Ada", "Lindqvist", "#2f6f4f")
BEN = Account("ben", "108100000000000000002", "ben@sandbox.leaf.example", "Ben", "Okafor", "#7a4b8f")
ACCOUNTS = (ADA, BEN)


def find(value: str) -> Account | None:
    """The account with this key, e-mail address or subject."""
    wanted = value.strip().lower()
    return next((account for account in ACCOUNTS if wanted in {account.key, account.email, account.subject}), None)
