"""One question about Drive, and the next step with it.

A turn goes: open the links, or search → read the files with the best names → look for the words inside the long ones
→ search for other files → answer.
"""

import re
from collections.abc import Sequence

from sandbox import ranking
from sandbox.model import answers, questions, tool_results
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import LIST, READ, SEARCH, File, Reading

MAX_ROUNDS = 8
"""After this many rounds of tool calls in one turn the model answers with what it has."""
READ_FILES = 3
_FOLDER = re.compile(r"\b(?:folder|ordner)s?\b", re.IGNORECASE)

Move = tuple[str, list[Call]]
"""A text of the model, and the calls that it wants to make."""


class Turn:
    """One question and what was done about it so far."""

    def __init__(self, conversation: Conversation, question: Question) -> None:
        self._tools, self._question, self._rounds = conversation.tools, question, conversation.rounds
        self._now = tool_results.collect(conversation.now)
        self._before = tool_results.collect(conversation.before)
        self._query = questions.query(question.subject)

    def step(self) -> Step:
        """The next tool calls, or the answer."""
        if any(failure.not_connected for failure in self._now.failures) or self._rounds >= MAX_ROUNDS:
            return self._answer()
        moves = (self._reopen, self._read, self._look_inside, self._search) if self._now.calls else (self._open,)
        for move in moves:
            text, calls = move()
            new = tuple(call for call in calls if self._is_new(call))
            if new:
                return Step(text, new)
            if calls and not self._now.calls:
                tools = ", ".join({call.name for call in calls})
                return Step(answers.closed(self._say("not_offered", tool=tools), self._question.language))
        return self._answer()

    def _say(self, key: str, **values: object) -> str:
        return answers.say(self._question.language, key, **values)

    def _is_new(self, call: Call) -> bool:
        made = [(one.name, one.arguments) for one in self._now.calls]
        return call.name in self._tools and (call.name, call.arguments) not in made

    def _is_answered(self, readings: Sequence[Reading]) -> bool:
        return answers.is_sure(self._question, answers.ranked(self._question, readings))

    def _answer(self) -> Step:
        readings, found = list(self._now.readings), self._now
        if not self._now.calls or self._question.follows_up:
            readings += self._before.readings
        return Step(answers.answer(self._question, found, readings))

    def _open(self) -> Move:
        links = self._question.links
        if links:
            text = self._say(f"open_{links[0].kind}" if len(links) == 1 else "open_links", count=len(links))
            return text, [_list(link.url) if link.kind == "folder" else _read(link.url) for link in links]
        if self._question.is_about_everything:
            return self._say("everything"), [_list("root")]
        if not self._question.subject or self._is_answered(self._before.readings):
            return "", []
        inside = self._look_inside(self._before.readings) if self._question.follows_up else ("", [])
        if inside[1]:
            return inside
        unread = [file for file in self._before.files if file.may_be_readable and not self._before.readings]
        named = self._best(self._before.files) if self._question.follows_up or unread else []
        if named or unread:
            return self._reads((named or unread)[:READ_FILES])
        return self._say("search", query=self._query), [
            Call("", SEARCH, {"queries": list(dict.fromkeys([self._query, self._question.wording]))})
        ]

    def _reopen(self) -> Move:
        """A link may look like a file and be a folder: the tool says so."""
        folders = [
            _list(str(failure.call.arguments.get("file", "")))
            for failure in self._now.failures
            if failure.call.name == READ and re.search(r"\bis a folder\b", failure.text, re.IGNORECASE)
        ]
        return self._say("reopen"), folders

    def _read(self) -> Move:
        """Reads the listed files whose names fit best, or lists a folder that fits better."""
        names = [call.name for call in self._now.calls]
        if not self._now.listings or names[-1] == READ or self._question.is_overview:
            return "", []
        listed = self._now.listings[-1]
        folders = self._best([file for file in self._now.files if file.is_folder])
        asks_for_folder = bool(_FOLDER.search(self._question.text))
        if listed.folder and asks_for_folder and listed.folder.score(self._question.subject) >= ranking.ALIKE:
            return "", []
        readable = [file for file in self._now.files if file.may_be_readable]
        named = self._best(readable)
        best = named[0].score(self._question.subject) if named else 0.0
        if folders and (asks_for_folder or folders[0].score(self._question.subject) > best):
            call = _list(folders[0].reference)
            if self._is_new(call):
                return self._say("listing", files=folders[0].name), [call]
        read = {reading.file.key for reading in self._now.readings}
        if listed.folder:
            others = [] if named else readable
        else:
            named, others = [], sorted(readable, key=self._promise, reverse=True)
        return self._reads([file for file in (*named, *others) if file.key not in read][:READ_FILES])

    def _promise(self, file: File) -> tuple[int, int]:
        """The numbers of names and marks that the question shares with a file; equal files stay in order."""
        return file.has(self._question.names), file.is_about(self._question.marks)

    def _look_inside(self, readings: Sequence[Reading] | None = None) -> Move:
        """Looks for the words of the question inside the long files of which only the beginning was read."""
        read = self._now.readings if readings is None else readings
        properties = self._tools.get(READ, {}).get("properties")
        cannot = isinstance(properties, dict) and "find" not in properties
        whole = [reading for reading in read if reading.complete]
        if cannot or not self._question.subject or self._question.summary or self._is_answered(whole):
            return "", []
        long = list({reading.file.key: reading.file for reading in read if not reading.complete}.values())[:READ_FILES]
        calls = [Call("", READ, {"file": file.reference, "find": self._query}) for file in long]
        return self._say("inside", files=_names(long)), calls

    def _search(self) -> Move:
        """Searches the folder that was listed, or the words one by one, where what was read does not answer."""
        question, searched = self._question, [call for call in self._now.calls if call.name == SEARCH]
        if question.is_overview or question.summary or self._is_answered(self._now.readings):
            return "", []
        folder = next((listing.folder for listing in self._now.listings if listing.folder), None)
        if folder and not searched and self._now.readings:
            call = Call("", SEARCH, {"queries": [self._query], "folder": folder.reference})
            return self._say("in_folder", query=self._query), [call]
        if len(searched) != 1 or len(question.subject) < 2:
            return "", []
        wordings = question.wordings
        call = Call("", SEARCH, {**searched[0].arguments, "queries": wordings})
        return self._say("single", query=", ".join(f"“{one}”" for one in wordings)), [call]

    def _reads(self, files: Sequence[File]) -> Move:
        return self._say("reading", files=_names(files)), [_read(file.reference) for file in files]

    def _best(self, files: Sequence[File]) -> list[File]:
        """The files whose names fit the subject, the best first."""
        fitting = [file for file in files if file.score(self._question.subject) > 0]
        return sorted(fitting, key=lambda file: -file.score(self._question.subject))


def _names(files: Sequence[File]) -> str:
    return ", ".join(file.name for file in files)


def _list(folder: str) -> Call:
    return Call("", LIST, {"folder": folder})


def _read(file: str) -> Call:
    return Call("", READ, {"file": file})
