"""The files of a chat, stored in the database with all their versions and never on a disk.

Each change is one transaction and one more version. The change of a tool call is identified by the call's id: repeated
after a crash, it changes nothing and returns the first result. Uploads are kept as received, with a readable text; a
text that was extracted from another format cannot be edited.
"""

from leaf.documents.textfiles.rows import By, Change, FileRow, FileText, Original, Uploaded, Version
from leaf.services.files.chat_files import ChatFiles
from leaf.services.files.limits import KEPT_VERSIONS, MAX_CHAT_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_UPLOAD_BYTES
from leaf.services.files.uploads import too_large
