"""The tables. Row-level security, grants and functions are in `alembic/sql`. The whole schema is in
`alembic/schema.sql`.

Models have no relationships, so SQLAlchemy does not know the order of inserts. Call `await session.flush()` after
adding a row to which others refer. For example, add a chat before its participant, and the participant before the
messages.

Every default exists twice, here and in the database. With the defaults here, no attribute has to be loaded after an
INSERT, and the INSERT needs no RETURNING. The policies would refuse RETURNING for a chat without participants.
"""

from leaf.db.models.account import Feedback, SecurityEvent, UserSettings
from leaf.db.models.base import (
    Base,
    IntegrationProvider,
    IntegrationStatus,
    MessageRole,
    MessageStatus,
    utc_now,
)
from leaf.db.models.conversation import (
    CellEdit,
    ChatInvitation,
    ChatParticipant,
    ChatSession,
    ChatShare,
    ChatSummary,
    Citation,
    ColdMessage,
    Message,
    Project,
    QueuedMessage,
    SearchWords,
)
from leaf.db.models.files import ChatFile, ChatFileOriginal, ChatFileVersion, Document
from leaf.db.models.imports import Import
from leaf.db.models.index import DriveChunk, DriveFeed, DriveText, DriveVector, VisibleFile
from leaf.db.models.people import ApiKey, Identity, Integration, Session, User, Workspace, WorkspaceMember
from leaf.db.models.sites import (
    Agent,
    AgentFile,
    AgentFolder,
    AgentKey,
    BudgetAlert,
    ProviderLog,
    SigningSecret,
    Site,
    SiteChat,
    SiteInvitation,
    SiteMember,
    Visitor,
)
from leaf.db.models.usage import UsageEntry
from leaf.db.models.watches import Digest, Watch
