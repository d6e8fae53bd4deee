"""All data that Leaf stores about a member, as the files of an archive."""

from leaf.services.exports.archive import Entry, chat, export
from leaf.services.exports.chat import ChatExport, of_chat
from leaf.services.exports.kinds import KINDS, LEFT_OUT, NOT_EXPORTED, rows
