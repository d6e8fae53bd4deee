"""One question about Drive, and the next step with it.

A turn goes: open the links, or search → choose files by their names → read them → look for the words inside the long
ones → answer.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from sandbox import ranking
from sandbox.model import answers, questions, tool_results
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import LIST, READ, SEARCH, File, Found, Reading

MAX_ROUNDS = 8
"""After this many rounds of tool calls in one turn the model answers with what it has."""
READ_FROM_FOLDER, READ_FROM_SEARCH, LOOK_INSIDE, SINGLE_WORDS = 4, 3, 3, 3

_WELL_NAMED = 0.45
"""The score of a name from which on a file of an earlier turn is read again."""
_FOLDER = re.compile(r"\b(?:folder|ordner)s?\b", re.IGNORECASE)


class Turn:
    """One question and what was done about it so far."""

    def __init__(self, conversation: Conversation, question: Question) -> None:
        self._tools, self._question = conversation.tools, question
        self._now = tool_results.collect(conversation.now)
        self._before = tool_results.collect(conversation.before)
        self._rounds = conversation.rounds
        self._subject = dict(question.subject)
        self._query = questions.query(question.subject)

    def step(self) -> Step:
        """The next tool calls, or the answer."""
        if any(failure.not_connected for failure in self._now.failures) or self._rounds >= MAX_ROUNDS:
            return self._answer()
        moves = (self._open,) if not self._now.calls else (
            self._reopen, self._read_listed, self._read_found, self._look_inside, self._search_folder,
            self._search_single_words,
        )  # fmt: skip
        for move in moves:
            text, calls = move()
            possible = self._possible(calls)
            if possible:
                return Step(text, possible)
            if calls and not self._now.calls:
                tools = ", ".join({call.name for call in calls})
                return Step(answers.closed(self._say("not_offered", tool=tools), self._question.language))
        return self._answer()

    def _say(self, key: str, **values: object) -> str:
        return answers.say(self._question.language, key, **values)

    def _possible(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """The calls whose tool is offered and which were not made in this turn already."""
        made = [(call.name, call.arguments) for call in self._now.calls]
        new: list[Call] = []
        for call in calls:
            if call.name in self._tools and (call.name, call.arguments) not in made:
                made.append((call.name, call.arguments))
                new.append(call)
        return tuple(new)

    def _answer(self) -> Step:
        readings, found = list(self._now.readings), self._now
        about_one_file = self._question.ordinal is not None and readings
        if not about_one_file and (not self._now.calls or self._question.follows_up):
            readings += self._before.readings
        if not self._now.calls and self._question.is_overview:
            found = Found(listings=self._before.listings[-1:])
        return Step(answers.answer(self._question, found, readings))

    def _open(self) -> tuple[str, list[Call]]:
        links = self._question.links
        if links:
            alone = f"open_{links[0].kind}"
            text = self._say("open_links", count=len(links)) if len(links) > 1 else self._say(alone)
            return text, [_listing(link.url) if link.kind == "folder" else _reading(link.url) for link in links]
        if self._question.is_about_everything:
            return self._say("everything"), [_listing("root")]
        earlier = self._from_earlier_files() if self._before.files else None
        if earlier is not None or not self._subject:
            return earlier or ("", [])
        return self._say("search", query=self._query), [_search(self._query)]

    def _from_earlier_files(self) -> tuple[str, list[Call]] | None:
        """Calls that read files of earlier turns: none if what was read answers, None if these files do not help."""
        question, before = self._question, self._before
        place = question.ordinal
        listed = [*before.searches, *before.listings]
        files = listed[-1].files if listed else before.files
        if place is not None and -len(files) <= place < len(files):
            return self._reads([files[place]])
        if not self._subject:
            return "", []
        if self._best_score(before.readings) >= (ranking.GOOD if question.follows_up else ranking.GOOD + 0.15):
            return "", []
        inside = self._looks([each for each in before.readings if not each.found_inside])
        if question.follows_up and inside[1]:
            return inside
        named = [
            file
            for file in self._named(before.files)
            if question.follows_up or file.score(self._subject) >= _WELL_NAMED
        ]
        unread = [file for file in files if file.may_be_readable and not before.readings][:READ_FROM_SEARCH]
        chosen = named or unread
        return self._reads(chosen) if chosen else None

    def _reopen(self) -> tuple[str, list[Call]]:
        """A link may look like a file and be a folder, or the other way round: the tool says so."""
        calls: list[Call] = []
        for failure in self._now.failures:
            if failure.call.name == READ and re.search(r"\bis a folder\b", failure.text, re.IGNORECASE):
                calls.append(_listing(str(failure.call.arguments.get("file", ""))))
            elif failure.call.name == LIST and re.search(
                r"\b(?:not a folder|is a file)\b", failure.text, re.IGNORECASE
            ):
                calls.append(_reading(str(failure.call.arguments.get("folder", ""))))
        return self._say("reopen"), calls

    def _read_listed(self) -> tuple[str, list[Call]]:
        if self._wants_listing() or self._has_read():
            return "", []
        files = [file for listing in self._now.listings for file in listing.files]
        readable = [file for file in files if file.may_be_readable]
        named = self._named(readable)
        folders = self._named([file for file in files if file.is_folder])[:2]
        best = max((file.score(self._subject) for file in named), default=0.0)
        deeper = [folder for folder in folders if folder.score(self._subject) > best]
        deeper = deeper or ([] if readable else [file for file in files if file.is_folder][:2])
        calls = self._possible([_listing(folder.reference) for folder in deeper])
        if calls and len(self._now.listings) < READ_FROM_FOLDER:
            return self._say("listing", files=_names(deeper)), list(calls)
        return self._reads(named or readable[:READ_FROM_SEARCH])

    def _wants_listing(self) -> bool:
        """Whether the listing is the answer: the question names the folder, or only wants to know what is there."""
        folders = [listing.folder for listing in self._now.listings if listing.folder]
        by_name = bool(_FOLDER.search(self._question.text)) and any(
            folder.score(self._subject) >= ranking.ALIKE for folder in folders
        )
        return self._question.is_overview or by_name

    def _read_found(self) -> tuple[str, list[Call]]:
        if self._has_read() or not self._now.searches or self._wants_listing():
            return "", []
        folders = self._named([file for search in self._now.searches for file in search.files if file.is_folder])
        if folders and _FOLDER.search(self._question.text) and not self._now.listings:
            return self._say("listing", files=folders[0].name), [_listing(folders[0].reference)]
        done = {file.key for file in self._now.read_files}
        found = [file for search in self._now.searches for file in search.files]
        counts = Counter(file.key for file in found)
        files = {file.key: file for file in found if file.may_be_readable and file.key not in done}.values()
        # Files that several searches found come first, then those whose names fit best.
        ordered = sorted(files, key=lambda file: (-counts[file.key], -file.score(self._subject)))
        return self._reads(ordered[:READ_FROM_SEARCH])

    def _look_inside(self) -> tuple[str, list[Call]]:
        """Looks for the words of the question in the long files of which only the beginning was read."""
        if not self._subject or self._question.summary:
            return "", []
        whole = [reading for reading in self._now.readings if reading.complete]
        return ("", []) if self._best_score(whole) >= ranking.GOOD else self._looks(self._now.readings)

    def _looks(self, readings: Sequence[Reading]) -> tuple[str, list[Call]]:
        """Calls that look for the words of the question inside the long files among these."""
        properties = self._tools.get(READ, {}).get("properties")
        if isinstance(properties, dict) and "find" not in properties:
            return "", []
        searched = {reading.file.key for reading in readings if reading.found_inside}
        long = [reading.file for reading in readings if not reading.complete and reading.file.key not in searched]
        chosen = list(dict.fromkeys(long))[:LOOK_INSIDE]
        calls = [Call("", READ, {"file": file.reference, "find": self._query}) for file in chosen]
        return self._say("inside", files=_names(chosen)), calls

    def _search_folder(self) -> tuple[str, list[Call]]:
        """The files of a folder that were read say nothing of the subject: its other files are searched."""
        listed = [listing.folder for listing in self._now.listings if listing.folder]
        if not listed or self._now.searches or not self._subject or self._question.summary or self._wants_listing():
            return "", []
        if self._best_score(self._now.readings) >= ranking.GOOD:
            return "", []
        call = Call("", SEARCH, {"queries": [self._query], "folder": listed[0].reference})
        return self._say("in_folder", query=self._query), [call]

    def _search_single_words(self) -> tuple[str, list[Call]]:
        """The search found no file that answers: the words are searched one by one."""
        searched = [call for call in self._now.calls if call.name == SEARCH]
        if len(searched) != 1 or len(self._subject) < 2 or self._wants_listing():
            return "", []
        if self._best_score(self._now.readings) >= ranking.GOOD:
            return "", []
        ordered = sorted(self._subject, key=lambda word: (word[0].isdigit(), -self._subject[word], -len(word)))
        folder = {key: value for key, value in searched[0].arguments.items() if key == "folder"}
        sought = [Call("", SEARCH, {"queries": [word], **folder}) for word in ordered[:SINGLE_WORDS]]
        return self._say("single", query=", ".join(f"“{word}”" for word in ordered[:SINGLE_WORDS])), sought

    def _has_read(self) -> bool:
        """Whether files were read since the last listing or search."""
        names = [call.name for call in self._now.calls]
        last = max((at for at, name in enumerate(names) if name in {LIST, SEARCH}), default=-1)
        return READ in names[last + 1 :]

    def _best_score(self, readings: Sequence[Reading]) -> float:
        hits = answers.ranked(self._question, readings)
        return hits[0].score if hits else 0.0

    def _reads(self, files: Sequence[File]) -> tuple[str, list[Call]]:
        return self._say("reading", files=_names(files)), [_reading(file.reference) for file in files]

    def _named(self, files: Sequence[File]) -> list[File]:
        """The files whose names fit the subject, the best first."""
        fitting = [file for file in files if file.score(self._subject) > 0]
        return sorted(fitting, key=lambda file: -file.score(self._subject))[:READ_FROM_FOLDER]


def _names(files: Iterable[File]) -> str:
    return ", ".join(file.name for file in files)


def _listing(folder: str) -> Call:
    return Call("", LIST, {"folder": folder})


def _reading(file: str) -> Call:
    return Call("", READ, {"file": file})


def _search(query: str) -> Call:
    return Call("", SEARCH, {"queries": [query]})
