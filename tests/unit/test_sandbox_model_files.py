"""The Sandbox model and the files of a chat, run against files in memory."""

import json
from typing import Any

import pytest

from sandbox.conversation import Call, Conversation, Message
from sandbox.model import brain

TOOLS: dict[str, dict[str, Any]] = {
    name: {}
    for name in (
        "list_files", "read_file", "write_file", "edit_file", "delete_file", "search_files",
        "list_drive_folder", "read_drive_file",
    )
}  # fmt: skip
REPORT = "[page 1]\nAnnual report\nIt was a good year.\n[page 2]\nThe harvest was 412 tonnes of apples.\n"


class Files:
    """The tools' answers, in the shapes of Leaf's file tools."""

    def __init__(self, **texts: str) -> None:
        self.texts = {name.replace("__", "/").replace("_", "."): text for name, text in texts.items()}
        self.calls: list[Call] = []

    def ask(self, question: str) -> str:
        """Lets the model work until it answers; gives the answer."""
        messages = [Message("user", question)]
        for round_number in range(8):
            step = brain.decide(Conversation(tuple(messages), TOOLS))
            if not step.calls:
                return step.text
            calls = tuple(Call(f"{round_number}-{n}", one.name, one.arguments) for n, one in enumerate(step.calls))
            messages.append(Message("assistant", step.text, calls))
            for call in calls:
                self.calls.append(call)
                told = self._answer(call)
                text = told if isinstance(told, str) else json.dumps(told)
                messages.append(Message("tool", text, call_id=call.id, failed=isinstance(told, str)))
        raise AssertionError("it never answers")

    def _answer(self, call: Call) -> dict[str, Any] | str:
        given, path = call.arguments, str(call.arguments.get("path"))
        if call.name == "list_files":
            return {"files": [{"path": name, "kind": "text", "size_bytes": 1} for name in self.texts], "total": 1}
        if call.name == "search_files":
            return {"files": [], "total": 0, "queries": given["queries"], "partial": False}
        if path not in self.texts:
            return f"There is no file {path!r} in this chat."
        return {"path": path, "text": self.texts[path], "whole": True}


@pytest.mark.parametrize(
    "question", ["What files are in this chat?", "list the files of this chat", "What did I upload?"]
)
def test_it_lists_the_files_of_the_chat(question: str) -> None:
    """# 001-07"""
    assert "This chat has 1 file:\n\n- report.pdf — text, 1 bytes" in Files(report_pdf=REPORT).ask(question)
    assert "no files yet" in Files().ask(question)


def test_it_answers_from_an_upload_and_names_the_page() -> None:
    """# 001-04, 001-26"""
    files = Files(report_pdf=REPORT)
    answer = files.ask("How many tonnes of apples was the harvest in the file report.pdf?")
    assert "412 tonnes" in answer
    assert "page 2" in answer
    assert "This is how report.pdf begins" in files.ask("Summarise the file report.pdf")


def test_a_file_that_the_chat_does_not_have_is_looked_for_in_the_drive() -> None:
    files = Files()
    files.ask("Summarise the file contract.pdf")
    assert [call.name for call in files.calls][:2] == ["list_files", "search_files"]
