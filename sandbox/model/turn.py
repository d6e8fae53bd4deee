"""One question about Drive, and the next step with it.

A turn goes: open the links, or search → choose files by their names → read them → look for the words inside the long
ones → answer.
"""

import re
from collections import Counter
from collections.abc import Iterable

from sandbox.model import answers, chat_files, displays, naming, questions, ranking, sources, tools
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.sources import File, Listing, Reading
from sandbox.model.tools import LIST, READ, SEARCH

MAX_ROUNDS = 8
"""After this many rounds of tool calls in one turn the answer is given from what there is."""
MAX_LISTINGS = 4
READ_FROM_FOLDER, READ_UNNAMED, READ_FROM_SEARCH, READ_FOR_A_SIDE, LOOK_INSIDE = 4, 3, 3, 2, 3

_FOLDER = re.compile(r"\b(?:folder|ordner|directory)s?\b", re.IGNORECASE)
_THAT_FOLDER = re.compile(
    r"\b(?:th(?:is|at|e)|same) folder\b|\bthere\b|\bdort\b|\b(?:diese[mr]|dem) ordner\b", re.IGNORECASE
)


class Turn:
    """One question and what was done about it so far."""

    def __init__(self, conversation: Conversation, question: Question, wish: str) -> None:
        self._tools, self._question = conversation.tools, question
        self._wish = "" if any(one.call.name == wish for one in conversation.now) else wish
        self._now = sources.collect(displays.others(chat_files.without(conversation.now)))
        self._before = sources.collect(displays.others(chat_files.without(conversation.before)))
        self._rounds = conversation.rounds
        self._topics = questions.continued(question, conversation.earlier_questions)

    def step(self) -> Step:
        if any(failure.not_connected for failure in self._now.failures) or self._rounds >= MAX_ROUNDS:
            return self._answer()
        moves = (self._open,) if not self._now.calls else (
            self._retry_as_other_kind, self._from_listings, self._from_searches, self._look_inside,
            self._search_the_folder, self._search_single_words,
        )  # fmt: skip
        for move in moves:
            text, calls = move()
            possible = self._possible(calls)
            if possible:
                return Step(text, possible)
            if calls and not self._now.calls:
                return Step(answers.not_offered(calls[0].name))
        return self._answer()

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
        readings = list(self._now.readings)
        about_one_file = self._question.ordinal is not None and readings
        if not about_one_file and (not self._now.calls or self._question.follows_up):
            readings += self._before.readings
        found = self._now
        if not self._now.calls and self._question.is_overview:
            found = sources.Found(listings=self._before.listings[-1:])
        shown = displays.shown(self._wish, self._question, self._topics, readings, found.files)
        return shown or Step(answers.answer(self._question, self._topics, found, readings))

    def _open(self) -> tuple[str, list[Call]]:
        if self._question.links:
            return self._open_links()
        if self._question.is_about_everything:
            return "I'll look at what is in your Drive. ", [tools.listing("root")]
        if self._before.files:
            text, calls = self._from_earlier_files()
            if calls or not text:
                return text, calls
        if not self._topics:
            return "", []
        queries = [questions.query_of(side) for side in self._question.sides] or [questions.query_of(self._topics)]
        folder = self._last_folder() if _THAT_FOLDER.search(self._question.text) else None
        shown = " and ".join(f"“{query}”" for query in dict.fromkeys(queries))
        return f"I'll look in your Drive for {shown}. ", [tools.search(query, folder) for query in queries]

    def _open_links(self) -> tuple[str, list[Call]]:
        links = self._question.links
        calls = [tools.listing(link.url) if link.kind == "folder" else tools.reading(link.url) for link in links]
        shown = (
            f"{len(links)} links" if len(links) > 1 else " and ".join(f"{link.kind} that you linked" for link in links)
        )
        return f"I'll open the {shown}. ", calls

    def _from_earlier_files(self) -> tuple[str, list[Call]]:
        """For a question without a link after files were seen: ("", []) where what was read already answers it.

        A text without calls means that the earlier files do not help.
        """
        question = self._question
        file = None if question.ordinal is None else self._by_ordinal(question.ordinal)
        if file is not None:
            return f"I'll read {file.name}. ", [tools.reading(file.reference)]
        if not self._topics:
            unread = [] if question.is_overview else self._unread(self._before.files)[:READ_UNNAMED]
            return "", [tools.reading(file.reference) for file in unread if not self._before.readings]
        needed = ranking.GOOD if question.follows_up else ranking.GOOD + 0.15
        if not question.sides and self._best_score(self._before.readings) >= needed:
            return "", []
        text, calls = self._looks([each for each in self._before.readings if not each.found_inside])
        if question.follows_up and calls and self._may_find():
            return text, calls
        return self._from_named_files()

    def _from_named_files(self) -> tuple[str, list[Call]]:
        named = self._named(self._before.files, READ_FROM_FOLDER)
        strong = [file for file in named if self._question.follows_up or self._is_well_named(file)]
        if strong:
            return _reading_text(strong), [tools.reading(file.reference) for file in strong]
        if self._question.follows_up and SEARCH not in self._tools:
            return "I'll read the files again. ", [tools.reading(file.reference) for file in self._before.read_files]
        return "elsewhere", []

    def _by_ordinal(self, place: int) -> File | None:
        lists = [[*listing.files] for listing in (*self._before.searches, *self._before.listings)]
        files = self._before.read_files if self._before.read_files and not self._before.listings else []
        files = files if len(files) > place else lists[-1] if lists else self._before.files
        return files[place] if -len(files) <= place < len(files) else None

    def _retry_as_other_kind(self) -> tuple[str, list[Call]]:
        """A link may look like a file and be a folder, or the other way round: the tool says so."""
        told = [(skip.call, skip.reason) for skip in self._now.skips]
        told += [(failure.call, failure.text) for failure in self._now.failures]
        calls: list[Call] = []
        for call, reason in told:
            if call.name == READ and re.search(r"\bis a folder\b", reason, re.IGNORECASE):
                calls.append(tools.listing(str(call.arguments.get("file", ""))))
            elif call.name == LIST and re.search(r"\b(?:not a folder|is a file)\b", reason, re.IGNORECASE):
                calls.append(tools.reading(str(call.arguments.get("folder", ""))))
        return "I'll open it the other way. ", calls

    def _from_listings(self) -> tuple[str, list[Call]]:
        if self._wants_listing() or self._has_read():
            return "", []
        files = [file for listing in self._now.listings for file in listing.files]
        readable = [file for file in files if file.may_be_readable]
        named = self._named(readable, READ_FROM_FOLDER)
        folders = self._named([file for file in files if file.is_folder], 2)
        if len(self._now.listings) < MAX_LISTINGS:
            best_file = max((self._name_score(file) for file in named), default=0.0)
            deeper = [folder for folder in folders if self._name_score(folder) > best_file]
            deeper = deeper or ([] if readable else [file for file in files if file.is_folder][:2])
            calls = self._possible([tools.listing(folder.reference) for folder in deeper])
            if calls:
                return f"I'll look into {_names(deeper)}. ", list(calls)
        chosen = named or readable[:READ_UNNAMED]
        return _reading_text(chosen, len(files)), [tools.reading(file.reference) for file in chosen]

    def _wants_listing(self) -> bool:
        """Whether the listing is the answer: nothing else is asked, or only the folder itself is named."""
        folders = [listing.folder for listing in self._now.listings if listing.folder]
        if self._question.is_overview or not folders or not _FOLDER.search(self._question.text):
            return self._question.is_overview
        return any(min(naming.name_likenesses(self._topics, folder.name), default=0.0) >= 0.6 for folder in folders)

    def _from_searches(self) -> tuple[str, list[Call]]:
        if self._has_read() or not self._now.searches or self._wants_listing():
            return "", []
        folders = self._named([file for search in self._now.searches for file in search.files if file.is_folder], 1)
        if folders and _FOLDER.search(self._question.text) and not self._now.listings:
            return f"I'll look into {_names(folders)}. ", [tools.listing(folders[0].reference)]
        chosen = self._best_found()
        if chosen:
            return _reading_text(chosen), [tools.reading(file.reference) for file in chosen]
        return "", []

    def _search_single_words(self) -> tuple[str, list[Call]]:
        """A search found nothing, or only files that do not answer: word by word, then other words."""
        searched = [call for call in self._now.calls if call.name == SEARCH]
        found = any(search.files for search in self._now.searches)
        if not searched or self._wants_listing() or (self._question.sides and found):
            return "", []
        if len(searched) <= max(1, len(self._question.sides)):
            if self._best_score(self._now.readings) >= ranking.GOOD:
                return "", []
            sought = questions.single_words(self._topics) or questions.other_words(self._topics)
        else:
            sought = [] if found else questions.other_words(self._topics)
        shown = ", ".join(f"“{word}”" for word in sought)
        return f"I'll also look for {shown}. ", [tools.search(word) for word in sought]

    def _best_found(self) -> list[File]:
        """Of the files that were found, the ones to read: those that most searches found, then the best named ones."""
        done = {file.key for file in self._now.read_files}
        groups = [
            [file for file in search.files if file.may_be_readable and file.key not in done]
            for search in self._now.searches
        ]
        counts = Counter(file.key for group in groups for file in group)
        if len(groups) == len(self._question.sides):
            chosen: dict[str, File] = {}
            for group, side in zip(groups, self._question.sides, strict=True):
                ordered = sorted(group, key=lambda file, side=side: -naming.name_score(side, file.name))
                chosen |= {file.key: file for file in ordered[:READ_FOR_A_SIDE]}
            return list(chosen.values())
        files = {file.key: file for group in groups for file in group}.values()
        return sorted(files, key=lambda file: (-counts[file.key], -self._name_score(file)))[:READ_FROM_SEARCH]

    def _look_inside(self) -> tuple[str, list[Call]]:
        """Looks for the words of the question in the long files of which only the beginning was given."""
        if not self._topics or self._question.is_overview or self._question.summary or not self._may_find():
            return "", []
        whole = [reading for reading in self._now.readings if reading.complete]
        if self._best_score(whole) >= ranking.GOOD:
            return "", []
        return self._looks(self._now.readings)

    def _looks(self, readings: list[Reading]) -> tuple[str, list[Call]]:
        """Calls that look for the words of the question inside the long files among these."""
        searched = {reading.file.key for reading in readings if reading.found_inside}
        long = [reading.file for reading in readings if not reading.complete]
        files = {file.key: file for file in long if file.key not in searched}
        chosen = list(files.values())[:LOOK_INSIDE]
        calls = [tools.reading(file.reference, self._words_inside(file)) for file in chosen]
        return f"I'll look inside {_names(chosen)}. ", calls

    def _words_inside(self, file: File) -> str:
        """What to look for in a file: the words of the question without those that only name the file."""
        named = ranking.scope(self._topics, file.name)
        rest = tuple(topic for topic, value in zip(self._topics, named, strict=True) if value < ranking.GOOD)
        return questions.find_words(rest or self._topics)

    def _may_find(self) -> bool:
        """Whether the tool that reads files can look for words."""
        properties = self._tools.get(READ, {}).get("properties")
        return not isinstance(properties, dict) or "find" in properties

    def _search_the_folder(self) -> tuple[str, list[Call]]:
        """The files of a folder that were read by their place in the list say nothing: search for the words."""
        listed = [listing.folder for listing in self._now.listings if listing.folder]
        if not listed or self._now.searches or not self._topics or self._question.summary or self._wants_listing():
            return "", []
        if self._best_score(self._now.readings) >= ranking.WEAK:
            return "", []
        query = questions.query_of(self._topics)
        return f"Not there yet; I'll search the folder for “{query}”. ", [tools.search(query, listed[0])]

    def _has_read(self) -> bool:
        """Whether files were asked for since the last listing or search."""
        names = [call.name for call in self._now.calls]
        last = max((at for at, name in enumerate(names) if name in {LIST, SEARCH}), default=-1)
        return READ in names[last + 1 :]

    def _best_score(self, readings: list[Reading]) -> float:
        hits = ranking.rank(self._topics, self._question.wanted, readings)
        return hits[0].score if hits else 0.0

    def _name_score(self, file: File) -> float:
        return naming.name_score(self._topics, file.name)

    def _is_well_named(self, file: File) -> bool:
        return self._name_score(file) >= 0.5 * sum(topic.weight for topic in self._topics)

    def _named(self, files: list[File], limit: int) -> list[File]:
        scored = [(self._name_score(file), file) for file in files]
        fitting = [(score, file) for score, file in scored if score > 0]
        return [file for _, file in sorted(fitting, key=lambda pair: -pair[0])[:limit]]

    def _unread(self, files: list[File]) -> list[File]:
        read = {file.key for file in self._before.read_files}
        return [file for file in files if file.may_be_readable and file.key not in read]

    def _last_folder(self) -> File | None:
        folders: list[Listing] = [listing for listing in self._before.listings if listing.folder]
        return folders[-1].folder if folders else None


def _names(files: list[File]) -> str:
    return ", ".join(file.name for file in files)


def _reading_text(files: list[File], listed: int = 0) -> str:
    seen = f"There are {listed} files. " if listed > 1 else ""
    return f"{seen}I'll read {_names(files)}. "
