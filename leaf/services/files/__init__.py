"""The files of a chat: kept in the database with all their versions, never on a disk.

Each change is one transaction, and one more version. A change that a tool call made is known by that call's id: made
again, after a crash, it changes nothing and gives what it gave before. What people upload is kept as it came, with a
text that can be read; where that text was taken out of another format, it cannot be edited.
"""

from leaf.services.files.chat_files import ChatFiles
from leaf.services.files.limits import KEPT_VERSIONS, MAX_CHAT_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_UPLOAD_BYTES
from leaf.services.files.rows import By, Change, FileRow, FileText, Original, Uploaded, Version
from leaf.services.files.uploads import too_large

__all__ = [
    "KEPT_VERSIONS",
    "MAX_CHAT_BYTES",
    "MAX_FILES",
    "MAX_FILE_BYTES",
    "MAX_UPLOAD_BYTES",
    "By",
    "Change",
    "ChatFiles",
    "FileRow",
    "FileText",
    "Original",
    "Uploaded",
    "Version",
    "too_large",
]
