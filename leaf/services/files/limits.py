"""Limits of a chat's files. `MOST_ATTACHMENTS` in `leaf/parts/question_files.py` limits the files of one message."""

MAX_FILE_BYTES = 1_000_000
"""Bytes of one editable file."""
MAX_CHAT_BYTES = 20_000_000
"""Bytes of all editable files of a chat together."""
MAX_CHAT_HISTORY_BYTES = 20_000_000
"""Bytes of former versions and deleted files together. Beyond the limit, the oldest former versions are dropped."""
MAX_FILES = 2_000
MAX_PATHS = 10_000
"""Number of different paths of a chat's files, deleted files included."""
KEPT_VERSIONS = 50
"""Number of versions of each file; older ones are dropped."""
MAX_UPLOAD_BYTES = 20_000_000
MAX_CHAT_UPLOADED_BYTES = 100_000_000
"""Bytes of the original uploads of a chat. A new upload drops originals that are no longer in use, the oldest first."""
MAX_CHAT_EXTRACTED_BYTES = 100_000_000
"""Bytes of the texts extracted from a chat's uploads, with the same rule."""
