"""Sites: their teams, agents, public keys and signing secrets, and the conversations of their visitors.

In SQL, a site is a tenant (`tenants`), and the chats of its visitors are widget chats (`widget_chats`).
"""

from leaf.services.sites.agents import (
    MOST_SUGGESTIONS,
    SAMPLE,
    AgentRow,
    change_agent,
    create_agent,
    delete_agent,
    list_agents,
    read_agent,
    try_out,
)
from leaf.services.sites.alerts import SPANS_DAYS, Alert, DayOfUse, alerts, note_budgets, read_unseen, saw_alerts, used
from leaf.services.sites.conversations import Conversation, Filters, conversations
from leaf.services.sites.exports import exported
from leaf.services.sites.keys import create_key, list_keys, revoke_key
from leaf.services.sites.knowledge import FILE_BYTES as KNOWLEDGE_FILE_BYTES
from leaf.services.sites.knowledge import (
    TITLE_CHARACTERS,
    SourceRow,
    add_file,
    add_folder,
    list_knowledge,
    remove_source,
    rename_source,
    state_of,
)
from leaf.services.sites.logs import Logged, LogRow, expire_logs, keep_logs, list_logs, read_log
from leaf.services.sites.secrets import list_secrets, revoke_secret, rotate_secret
from leaf.services.sites.settings import change, create, delete, listed, read
from leaf.services.sites.team import invite, join, members, remove
from leaf.services.sites.transcripts import Transcript, transcript, watch
