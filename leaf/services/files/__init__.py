"""The text files of a chat: kept in the database with all their versions, never on a disk.

Each change is one transaction, and one more version. A change that a tool call made is known by that call's id: made
again, after a crash, it changes nothing and gives what it gave before.
"""

from leaf.services.files.chat_files import KEPT_VERSIONS, MAX_CHAT_BYTES, MAX_FILE_BYTES, MAX_FILES, ChatFiles
from leaf.services.files.rows import Change, FileRow, FileText, Version

__all__ = [
    "KEPT_VERSIONS",
    "MAX_CHAT_BYTES",
    "MAX_FILES",
    "MAX_FILE_BYTES",
    "Change",
    "ChatFiles",
    "FileRow",
    "FileText",
    "Version",
]
