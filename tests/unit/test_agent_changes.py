"""Which messages ask for a change of a file, by their words."""

import pytest

from leaf.agent.changes import is_asked

ASKED = [
    ("Write a summary to notes/lease.md", "write_file", "notes/lease.md"),
    ("Summarise the lease and put it into lease.md, please.", "write_file", "notes/lease.md"),
    ("What does the lease cost? Save the answer in a file.", "write_file", "cost.md"),
    ("Please note down who signed", "write_file", "signed.md"),
    ("Fix the typos in my notes", "edit_file", "notes/plan.md"),
    ("Remove the second line of plan.md", "edit_file", "plan.md"),
    ("Delete plan.md", "delete_file", "plan.md"),
    ("Can you delete all files of this chat?", "delete_file", "a.md"),
    ("Speichere das bitte", "write_file", "a.md"),
    ("Schreib die Miete auf", "write_file", "miete.md"),
    ("Erstelle eine Datei mit den Zahlen", "write_file", "zahlen.csv"),
    ("Lösche miete.md", "delete_file", "miete.md"),
    ("Écris le résumé dans un fichier", "write_file", "resume.md"),
    ("Guarda esto en un archivo", "write_file", "esto.md"),
    ("Scrivi il riassunto in riassunto.md", "write_file", "riassunto.md"),
    ("Запиши это в файл", "write_file", "a.md"),
    ("要約をファイルに保存して", "write_file", "a.md"),
    ('```json\n[{"calls": [{"name": "write_file", "arguments": {"path": "a.md"}}]}]\n```', "write_file", "a.md"),
]
NOT_ASKED = [
    ("Summarise the lease", "write_file", "summary.md"),
    ("Summarise the cold store lease", "write_file", "summary.md"),
    ("Write a summary of the lease", "write_file", "summary.md"),
    ("Make a list of all incidents", "write_file", "incidents.md"),
    ("Which files changed in this folder?", "edit_file", "plan.md"),
    ("What does plan.md say about the launch?", "edit_file", "plan.md"),
    ("Write the summary to lease.md", "write_file", "other.md"),
    ("Write the summary to lease.md", "delete_file", "lease.md"),
    ("Save this in a file", "delete_file", "plan.md"),
    ("Delete old.md", "delete_file", "plan.md"),
    ("Delete old.md", "write_file", "old.md"),
    ("Thanks!", "delete_file", "plan.md"),
    ("", "write_file", "a.md"),
    ("Was steht im Handbuch über Notizen?", "write_file", "a.md"),
    ("Wie hoch ist die Miete?", "write_file", "a.md"),
    ("Welche Dateien ändern sich?", "write_file", "a.md"),
    ("Tóm tắt tài liệu này", "write_file", "a.md"),
]


@pytest.mark.parametrize(("question", "tool", "path"), ASKED)
def test_whoever_asks_for_a_change_in_plain_words_is_not_asked_back(question: str, tool: str, path: str) -> None:
    """# 001-05, 001-06, 001-09"""
    assert is_asked(question, tool, path)


@pytest.mark.parametrize(("question", "tool", "path"), NOT_ASKED)
def test_in_doubt_a_message_asks_for_nothing(question: str, tool: str, path: str) -> None:
    assert not is_asked(question, tool, path)
