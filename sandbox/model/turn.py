"""A question about Drive, and the next step for it.

A turn has these steps: open the links, or search → read the files with the best names → search for the words within
long files → search for other files → answer.
"""

import re
from collections.abc import Sequence

from sandbox import ranking
from sandbox.conversation import Call, Conversation, Step
from sandbox.model import answers, questions, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import LIST, READ, SEARCH, File, Reading

MAX_ROUNDS = 8
"""After this number of rounds of tool calls in a turn, the model answers with the results so far."""
READ_FILES = 3

NONE = Step("")


class Turn:
    """A question, and the tool calls and results of its turn so far."""

    def __init__(self, conversation: Conversation, question: Question) -> None:
        self._tools, self._question, self._rounds = conversation.tools, question, conversation.rounds
        self._now = tool_results.collect(conversation.now)
        self._before = tool_results.collect(conversation.before)

    def step(self) -> Step:
        """The next tool calls, or the answer."""
        if any(failure.not_connected for failure in self._now.failures) or self._rounds >= MAX_ROUNDS:
            return self._answer()
        made = [(one.name, one.arguments) for one in self._now.calls]
        for move in (self._reopen, self._read, self._look_inside, self._search) if made else (self._open,):
            step = move()
            offered = [call for call in step.calls if call.name in self._tools]
            new = tuple(call for call in offered if (call.name, call.arguments) not in made)
            if new:
                return Step(step.text, new)
            if step.calls and not made:
                missing = ", ".join({call.name for call in step.calls})
                return answers.final(self._question.language, self._say("not_offered", tool=missing))
        return self._answer()

    def _say(self, key: str, **values: object) -> str:
        return answers.say(self._question.language, key, **values)

    def _is_answered(self, readings: Sequence[Reading]) -> bool:
        """Whether a passage answers the question. One in other words does only if no file about its names is unread."""
        read, marks = {one.file.key for one in readings}, self._question.marks
        unread = [file for file in self._now.files if file.may_be_readable and file.key not in read]
        is_whole = not self._now.readings or not any(file.is_about(marks) for file in unread)
        return answers.is_sure(self._question, answers.ranked(self._question, readings, in_other_words=is_whole))

    def _answer(self) -> Step:
        goes_on = not self._now.calls or self._question.follows_up
        readings = [*self._now.readings, *(self._before.readings if goes_on else ())]
        return answers.answer(self._question, self._now, readings)

    def _open(self) -> Step:
        question, links = self._question, self._question.links
        if links:
            text = self._say(f"open_{links[0].kind}" if len(links) == 1 else "open_links", count=len(links))
            return Step(text, tuple(_list(one.url) if one.kind == "folder" else _read(one.url) for one in links))
        if question.is_about_everything:
            return Step(self._say("everything"), (_list("root"),))
        if not question.subject or self._is_answered(self._before.readings):
            return NONE
        inside = self._inside(self._before.readings) if question.follows_up else NONE
        unread = [file for file in self._before.files if file.may_be_readable and not self._before.readings]
        named = self._best(self._before.files) if question.follows_up or unread else []
        if inside.calls or named or unread:
            return inside if inside.calls else self._reads(named or unread)
        return answers.search(question, [questions.query(question.subject), question.wording])

    def _reopen(self) -> Step:
        """Lists the folders that were opened as files, because their links look like those of files."""
        folders = [
            _list(str(failure.call.arguments.get("file", "")))
            for failure in self._now.failures
            if failure.call.name == READ and re.search(r"\bis a folder\b", failure.text, re.IGNORECASE)
        ]
        return Step(self._say("reopen"), tuple(folders))

    def _read(self) -> Step:
        """Reads the listed files whose names fit best, or lists a folder that fits better."""
        question, found = self._question, self._now
        if not found.listings or found.calls[-1].name == READ or question.is_overview:
            return NONE
        folder = found.listings[-1].folder
        asks_for_folder = words.find("folder", question.text)
        if folder and asks_for_folder and folder.score(question.subject) >= ranking.ALIKE:
            return NONE
        named = self._best(found.files)
        best = named[0].score(question.subject) if named else 0.0
        folders = [file for file in found.files if file.is_folder and file.score(question.subject) > 0]
        for one in sorted(folders, key=lambda file: -file.score(question.subject))[:1]:
            call = _list(one.reference)
            if call not in found.calls and (asks_for_folder or one.score(question.subject) > best):
                return Step(self._say("listing", files=one.name), (call,))
        read = {reading.file.key for reading in found.readings}
        readable = [file for file in found.files if file.may_be_readable]
        if not folder:
            named = sorted(readable, key=self._rank, reverse=True)
        return self._reads([file for file in named or readable if file.key not in read])

    def _look_inside(self) -> Step:
        return self._inside(self._now.readings)

    def _inside(self, read: Sequence[Reading]) -> Step:
        """Searches for the words of the question in long files that were read only in part."""
        question, whole = self._question, [reading for reading in read if reading.complete]
        if not question.subject or question.summary or self._is_answered(whole):
            return NONE
        long = list({reading.file.key: reading.file for reading in read if not reading.complete}.values())[:READ_FILES]
        query = questions.query(question.subject)
        return self._say_of(long, "inside", [Call("", READ, {"file": one.reference, "find": query}) for one in long])

    def _search(self) -> Step:
        """Searches in the listed folder, or for single words, if the texts read so far do not answer the question."""
        question, searched = self._question, [call for call in self._now.calls if call.name == SEARCH]
        if question.is_overview or question.summary or self._is_answered(self._now.readings):
            return NONE
        folder = next((listing.folder for listing in self._now.listings if listing.folder), None)
        if folder and not searched and self._now.readings:
            return answers.search(question, [questions.query(question.subject)], "in_folder", folder=folder.reference)
        if not searched and question.follows_up and not question.links:
            return answers.search(question, [questions.query(question.subject), question.wording])
        if len(searched) != 1 or len(question.subject) < 2:
            return NONE
        within = {key: value for key, value in searched[0].arguments.items() if key != "queries"}
        return answers.search(question, question.wordings, "single", **within)

    def _reads(self, files: Sequence[File]) -> Step:
        return self._say_of(files[:READ_FILES], "reading", [_read(file.reference) for file in files[:READ_FILES]])

    def _say_of(self, files: Sequence[File], key: str, calls: Sequence[Call]) -> Step:
        return Step(self._say(key, files=", ".join(file.name for file in files)), tuple(calls))

    def _rank(self, file: File) -> tuple[float, ...]:
        """A sort key for files: the numbers of names and marks that a file shares with the question, whether a passage
        that the search has shown answers it, and how well its name fits. Files with passages keep the search's order.
        """
        question = self._question
        fit = 0.0 if file.shown else file.score(question.subject)
        answers_it = bool(file.shown) and self._is_answered([Reading(file, "", f"{file.titles}\n\n{file.shown}")])
        about = file.is_about(question.marks) + bool(file.papers & question.papers)
        return file.has(question.names), about, answers_it, fit

    def _best(self, files: Sequence[File]) -> list[File]:
        """The readable files whose names fit the subject, the best first."""
        fitting = [file for file in files if file.may_be_readable and file.score(self._question.subject) > 0]
        return sorted(fitting, key=lambda file: -file.score(self._question.subject))


def _list(folder: str) -> Call:
    return Call("", LIST, {"folder": folder})


def _read(file: str) -> Call:
    return Call("", READ, {"file": file})
