"""What the files of a chat may hold."""

MAX_FILE_BYTES = 1_000_000
"""Of a file that can be edited."""
MAX_CHAT_BYTES = 20_000_000
"""Of all files of a chat that can be edited, together."""
MAX_CHAT_HISTORY_BYTES = 20_000_000
"""Of what those files were before, and of those that were deleted, together; beyond it the oldest versions of the chat
are dropped. What a file is now never is."""
MAX_FILES = 2_000
MAX_PATHS = 10_000
"""Files that a chat has or ever had under different names: those that were deleted are remembered."""
KEPT_VERSIONS = 50
"""Of each file; older ones are dropped."""
MAX_UPLOAD_BYTES = 20_000_000
MAX_CHAT_UPLOADED_BYTES = 100_000_000
"""Of the originals of a chat; those that no file shows any more go first, the oldest before the others."""
MAX_CHAT_EXTRACTED_BYTES = 100_000_000
"""Of the text that was taken out of them, by the same rule."""
