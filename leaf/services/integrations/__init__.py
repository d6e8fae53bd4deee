"""Connections to outside services. Each belongs to one member in one workspace.

All pages read the same status column. Tokens are stored encrypted, and only one process at a time refreshes them.
"""

from leaf.services.integrations.attempts import Attempt, attempt, begin_attempt, end_attempt, explain_attempt
from leaf.services.integrations.bugs import Bug, forget_bugs, known_bugs
from leaf.services.integrations.connections import (
    CONNECT_PATH,
    DRIVE,
    Card,
    State,
    begin_connect,
    cards,
    complete_connect,
    connect,
    disconnect,
    forwarded,
    keep_texts,
    other_account,
    read_cards,
    revoke_all,
    state_of,
    stop_keeping,
)
from leaf.services.integrations.drive_access import UserDrive
