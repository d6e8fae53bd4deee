"""The files of a chat, stored in the database with all their versions and never on a disk.

Each change is one transaction that adds a version. A change by a tool call is identified by the call's id. If the call
is repeated after a crash, nothing changes and the first result is returned. Uploads are kept as received, together with
a readable text. A text that was extracted from another format cannot be edited.
"""

from leaf.documents.textfiles.rows import By, FileRow, FileText, Original, Version
from leaf.services.files.chat_files import ChatFiles
from leaf.services.files.limits import KEPT_VERSIONS, MAX_CHAT_BYTES, MAX_FILE_BYTES, MAX_UPLOAD_BYTES
from leaf.services.files.uploads import too_large
