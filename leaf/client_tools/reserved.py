"""Names of Leaf's own tools, which run at the server and which no caller may declare."""

SERVER_TOOLS = frozenset(
    {
        "search_drive", "list_drive_folder", "read_drive_file",
        "list_files", "read_file", "grep", "write_file", "edit_file", "delete_file",
        "search", "fetch",
        "displayPlan", "displayTable", "displayCitations", "displayLinkPreview", "displayOptionList",
        "todoWrite", "askQuestion",
    }
)  # fmt: skip
RESERVED = frozenset({"imported_turn", "final_result"})
"""Names of no tool that could be called, which mean something to Leaf or to its agent library."""
