"""Chats as files: Leaf's own format, its Markdown form, and exports of other products. Pure.

Input comes from outside: its size is limited before it is parsed, and nothing in it is trusted.
"""

from leaf.parts.portable.conversion import Stored, digest, portable_parts, stored, to_portable
from leaf.parts.portable.files import FILE_BYTES, Refused, count, entries
from leaf.parts.portable.format import FORMAT, VERSION, Chat, Citation, Message, schema
from leaf.parts.portable.markdown import file_name
from leaf.parts.portable.parser import Read, read, title_in
