"""The Drive tools by name, and calls of them. Ids are given when a reply is made."""

from sandbox.model.conversation import Call
from sandbox.model.sources import File

LIST, SEARCH, READ = "list_drive_folder", "search_drive", "read_drive_file"


def listing(folder: str) -> Call:
    """Lists a folder, by link or id."""
    return Call("", LIST, {"folder": folder})


def reading(file: str, find: str | None = None) -> Call:
    """Reads a file, by link or id, or looks for words inside it."""
    return Call("", READ, {"file": file} | ({"find": find} if find else {}))


def search(query: str, folder: File | None = None) -> Call:
    """Searches the Drive, or one folder of it."""
    return Call("", SEARCH, {"query": query} | ({"in_folder": folder.reference} if folder else {}))
