"""Whether a message of the user asks for a change of a file of the chat, by its words. Pure.

The words are those of about ten languages. In any other, and in doubt, a message asks for nothing: the user is asked
then, which costs a click (decision 0019).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

_READ_CHARACTERS = 20_000
"""How much of a message is looked through."""

_WORDS = {
    "keep": (
        r"save (?:it|this|that|them|these|those|the|an?|my|all|everything|what|your)|store (?:it|this|that|them|all)|"
        r"write (?:\S+ ){0,6}down|(?:note|noting|jot) (?:\S+ ){0,6}down|"
        r"(?:ab)?speicher(?:e|n|st)?|notier(?:e|en|st)?|schreib\w* (?:\S+ ){0,8}auf|aufschreiben|"
        r"halte?n? (?:\S+ ){0,8}fest|festhalten|leg\w* (?:\S+ ){0,6}(?:ab|an)|ablegen|anlegen|"
        r"enregistre[rz]?|sauvegarde[rz]?|guarda(?:r|lo|la)?|guarde|salva(?:re|r|lo|la)?|salve|sla (?:\S+ ){0,8}op|"
        r"opslaan|bewaar|zapisz|сохрани(?:те|ть)?|запиши(?:те)?|записать"
    ),
    "make": (
        r"write|create|make|draft|put|copy|writing|creating|"
        r"schreib(?:en?|st)?|erstellen?|erstellst|erzeugen?|entw[eiü]rf|entwerfen|kopieren?|machen?|mach|"
        r"écri(?:s|re|vez)|crée[rz]?|rédige[rz]?|mets|mettez|mettre|escrib[ae]|escribir|cre[ae]|crear|"
        r"scrivi|scrivere|crea|creare|escreva|escrever|crie|criar|schrijf|maak|napisz|utwórz|"
        r"напиши(?:те)?|созда(?:й|йте|ть)"
    ),
    "change": (
        r"edit|change|update|replace|add|append|insert|rewrite|fix|correct|mend|rename|move|fill|extend|shorten|"
        r"editing|ändern?|bearbeiten?|aktualisieren?|ersetzen?|ergänzen?|fügen?|einfügen|hinzufügen|korrigieren?|"
        r"verbessern?|verbessere|kürzen?|überarbeiten?|"
        r"modifie[rz]?|change[rz]?|ajoute[rz]?|remplace[rz]?|corrige[rz]?|modifi(?:ca|car|que)|cambia|cambiar|"
        r"añad[ae]|añadir|agrega|agregar|reemplaza|reemplazar|corregir|actualiza|actualizar|"
        r"modificare|aggiungi|aggiungere|sostituisci|aggiorna|correggi|"
        r"altere|alterar|adicione|adicionar|atualize|atualizar|wijzig|bewerk|voeg|vervang|zmień|dodaj|"
        r"измени(?:те)?|добавь(?:те)?|исправь(?:те)?"
    ),
    "delete": (
        r"delete|remove|erase|clear|drop|discard|get rid|deleting|removing|löschen?|lösche|entfernen?|tilgen?|wirf|"
        r"supprime[rz]?|efface[rz]?|enlève|borra|borrar|elimina|eliminar|quita|quitar|cancella|rimuovi|apague|apagar|"
        r"remova|remover|exclua|verwijder|wis|usuń|skasuj|удали(?:те|ть)?|сотри(?:те)?"
    ),
}  # fmt: skip
"""Words of wishes in several languages."""
_IDEOGRAPHS = {
    "keep": "保存|記録して|记录下|저장|기록해",
    "make": "書いて|書き|写入|写到|作成|创建|작성",
    "change": "修改|更新|追加|編集|编辑|수정|추가|변경",
    "delete": "削除|删除|消して|삭제|지워",
}
_WISHES = {
    wish: re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])|{_IDEOGRAPHS[wish]}", re.IGNORECASE)
    for wish, words in _WORDS.items()
}
_WISH = "|".join(_WORDS[wish] for wish in ("make", "change", "delete"))
_NOT = re.compile(
    r"(?<![\w-])(?:(?:don['’]?t|not|never|without|nicht|nie|niemals|ohne|ne|sans|no|nunca|sin|non|mai|senza|não|nunca|"
    rf"sem|niet|nooit|zonder|nie|bez|не|без)\s+(?:\S+\s+){{0,2}}(?:{_WISH}|{_WORDS['keep']})(?!\w)|"
    rf"(?:{_WISH})\s+(?:\S+\s+){{0,4}}(?:nothing|nichts?|kein\w*|pas|rien|niets?|geen)(?!\w))",
    re.IGNORECASE,
)
"""A wish that something is not done."""

_FILE = (
    r"(?:file|note|notebook|(?:\w+-?)?datei|notiz|fichier|archivo|fichero|nota|apunte|appunto|arquivo|ficheiro|bestand|"
    r"notitie|plik\w*|notatk\w+|файл\w*|заметк\w*)"
)
_A = (
    r"(?:a|an|another|one|its\s+own|eine?[mnrs]?|une?|un[ao]?|uma?|een|jed\w+|нов\w+)\s+"
    r"(?:(?:new|text|markdown|csv|json|\.?md|short|small|separate|single|empty|neue\w*|kleine\w*|eigene\w*|leere\w*|"
    r"separate\w*|nouveau|nouvelle|nuev[ao]|nuov[ao]|nov[ao]|nieuwe?|now\w+)\s+){0,2}"
)
_NO_LIST = r"(?![\w-]|\s+(?:list|names?|listing|overview|types?|structure|tree)\b)"
_NEW_FILE = re.compile(
    rf"(?<!\w)(?:(?:(?:to|into|in|onto|als|as|zu|dans|en|sous|come|como|em|num|numa|para|w|do|jako|в|на|как)\s+{_A}|"
    rf"(?:as|als|como|come|jako|как|в)\s+(?:text\s+|markdown\s+|csv\s+)?|"
    rf"(?:{_WORDS['make']})(?:\s+(?:me|us|mir|uns|moi|nous|mi|ci|mij|ons|мне))?\s+{_A}){_FILE}{_NO_LIST})|"
    r"(?:ファイル|メモ)に|(?:写入|写到|到|创建|作成)\S{0,4}(?:文件|笔记)|(?:파일|메모)(?:에|로|을|를)",
    re.IGNORECASE,
)
"""A file that is to be made, and not one that is to be read: "to a file", "create a note"."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[。！？])")
_ASKS_ABOUT = re.compile(
    r"\W*(?:what|which|who|whom|whose|when|where|why|how|does|did|is|are|was|were|has|have|"
    r"welche\w*|wer|wem|wen|wann|wo|warum|wieso|wie|hat|haben|ist|sind|quel\w*|qui|quand|où|pourquoi|comment|"
    r"qué|cuál\w*|quién|cuándo|dónde|cómo|quale|quali|chi|quando|dove|perché|come|qual|quem|onde|wat|wie|welke|"
    r"wanneer|waar|waarom|hoe|co|kto|kiedy|gdzie|что|кто|когда|где|почему|как)\b",
    re.IGNORECASE,
)
"""How a sentence begins that asks what something is, and wants nothing done."""
_NAME = re.compile(
    r"[\w./-]*\w\.(?:md|markdown|txt|csv|tsv|json|ya?ml|toml|html?|xml|py|js|ts|css|sql|sh|tex|log)\b|"
    r"(?<=[\"“„«‘`])[^\"“”„«»‘’`\n]{1,200}(?=[\"”“»’`])"
)
"""What looks like the path of a file in a message."""
_BEFORE_NAME = (
    r"\s+(?:(?:the|my|our|this|that|der|die|das|den|dem|diese\w*|meine\w*|unsere\w*|le|la|les|mon|el|los|mi|il|lo|o|het|"
    r"de)\s+)?(?:\w+\s+)?(?:(?:files?|notes?|documents?|datei|notiz|dokument|fichier|archivo|documento|file)\s+)?"
    r"[\"“„«‘`]?$"
)
_BASIS = re.compile(
    r"(?<!\w)(?:based\s+on|basing\s+on|about|using|with|according\s+to|out\s+of|from|like|see|against|than|"
    r"(?:is|are|was|stands?|says?|said|written|described|found|mentioned|steht|stehen)\s+in|"
    r"read|summari[sz]e|compare|translate|check|review|explain|quote|analy[sz]e|look\s+at|go\s+through|"
    r"auf\s+(?:der\s+)?(?:basis|grundlage)(?:\s+von)?|basierend\s+auf|anhand|aus|über|mit|laut|gemäß|"
    r"lies|fass\w*|vergleiche?|übersetze?|prüfe?|erkläre?|"
    r"à\s+partir\s+de|d['’]après|basée?\s+sur|selon|avec|sur|lis|résume|compare|traduis|"
    r"a\s+partir\s+de|basad[oa]\s+en|según|con|sobre|lee|resume|traduce|secondo|basat[oa]\s+su|su|leggi|riassumi|"
    r"com\s+base\s+em|segundo|com|leia|resuma|op\s+basis\s+van|uit|met|over|volgens|lees|"
    rf"na\s+podstawie|według|z|о|из|на\s+основе|прочитай){_BEFORE_NAME}",
    re.IGNORECASE,
)
"""What stands before a file that is to be read, whatever becomes of another."""
_OF = r"of|von|vom|des|der|(?<!st\s)du|de|del|della|di|do|da|van|z|из"
_PART_OF = re.compile(rf"(?<!\w)(?:{_OF}){_BEFORE_NAME}", re.IGNORECASE)
_INSIDE = re.compile(
    rf"(?<!\w)(?:{_OF}|in|inside|within|on|im|aus|bei|dans|en|em|nel|w|в){_BEFORE_NAME}", re.IGNORECASE
)
_DOUBT = re.compile(
    r"(?<![\w-])(?:\w+n['’]t|not|never|nothing|nobody|without|except|leave|leaving|alone|unchanged|untouched|touch|"
    r"as\s+(?:it|they)\s+(?:is|are)|instead|unless|that|who|whom|which|whether|if|where|why|should|shall|says?|said|"
    r"tell|telling|told|asked|asks|find|"
    r"nicht|nie|niemals|nichts|kein\w*|ohne|außer|lass\w*|unverändert|dass|ob|wer|wo|wenn|falls|soll\w*|sag\w*|statt|"
    r"pas|jamais|rien|sans|sauf|laisse\w*|que|qui|si|où|dit|plutôt|"
    r"nunca|nada|sin|excepto|deja\w*|quien|donde|dice|debo|non|mai|senza|tranne|lascia\w*|che|chi|dove|devo|"
    r"não|nunca|sem|exceto|deixe|quem|onde|devo|niet|nooit|niets|zonder|behalve|laat|dat|moet|"
    r"nie|bez|oprócz|zostaw|że|czy|kto|не|без|кроме|оставь\w*|что|кто|ли|если)(?![\w-])",
    re.IGNORECASE,
)
"""Words of a sentence in which a file may be named for another reason than that it is to be changed."""
_NOUN = re.compile(
    r"(?<!\w)(?:the|a|an|this|any|each|every|last|latest|recent|my|our|your|his|her|its|their|der|die|das|den|dem|"
    r"eine?[mnrs]?|le|la|les|un|une|el|los|una|il|lo|de|het|een|about|of)\s+(?:[^\W\d_]+\s+)?$",
    re.IGNORECASE,
)
"""What stands before a word such as "change" where it is no wish: "the last update of"."""
_ONLY = (
    r"[\W_]*(?:(?:the|my|our|this|both|all|old|also|please|files?|notes?|arguments|path|bitte|auch|die|das|der|den|alte\w*|"
    r"datei(?:en)?|notiz(?:en)?|le|la|les|fichiers?|el|los|archivos?|il|lo|het|de|o|os|bestand)[\W_]+){0,4}[\W_]*"
)
_DELETES_NEXT = re.compile(rf"(?<![^\W_])(?:{_WORDS['delete']}){_ONLY}$|(?:{_IDEOGRAPHS['delete']})\W*$", re.IGNORECASE)
_DELETED_BEFORE = re.compile(
    rf"[\"”“»’`]?\s*(?:bitte\s+|jetzt\s+|を)?(?:(?:{_WORDS['delete']})(?!\w)|{_IDEOGRAPHS['delete']})", re.IGNORECASE
)
"""A wish to delete something else in a file is none to delete the file: nothing may stand between the two."""
_AND = re.compile(r"(?:,|\b(?:and|or|und|oder|et|ou|y|o|e|en|i|и)\b|&)[\s\"“„«»”‘’`]*$", re.IGNORECASE)


@dataclass(frozen=True)
class Wish:
    """What one sentence of a message asks for, of the kind that a call would do."""

    named: tuple[str, ...]
    """The names of the files that are to be changed; none where it names none."""
    is_for_new: bool
    """Whether something is to be kept, or a file to be made, whatever its name."""
    is_doubtful: bool
    """Whether a file that is there may be named for another reason."""

    def holds(self, path: str, *, is_new: bool, is_only: bool = True) -> bool:
        """Whether it asks for the change of a file.

        Args:
            path: The file.
            is_new: Whether there is no such file yet.
            is_only: Whether no other file has its name, so that the folder need not be said.
        """
        if not self.named:
            return is_new and self.is_for_new
        if not is_new and self.is_doubtful:
            return False
        path = _folded(path)
        return any(name in ({path, PurePosixPath(path).name} if is_only else {path}) for name in self.named)


def read(question: str, tool: str, path: str) -> list[Wish]:
    """What a message asks for, by its words.

    A file has to be named, and not only as one to be read. One that is not there yet needs no name where the message
    asks for something to be kept, or for a file to be made.

    Args:
        question: The user's last message.
        tool: `write_file`, `edit_file` or `delete_file`.
        path: The file that the call would change.

    Returns:
        Nothing in doubt: the user is asked then.
    """
    sentences = _SENTENCE.split(unicodedata.normalize("NFC", question[:_READ_CHARACTERS]))
    told = (one for one in sentences if not _ASKS_ABOUT.match(one) and not _NOT.search(one))
    return [wish for one in told if (wish := _wish(one, tool, _folded(path))) is not None]


def is_asked(question: str, tool: str, path: str, *, is_new: bool, is_only: bool = True) -> bool:
    """Whether a message asks for a change of a file (`read`, `Wish.holds`)."""
    return any(one.holds(path, is_new=is_new, is_only=is_only) for one in read(question, tool, path))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold().strip().removeprefix("./")


def _wish(sentence: str, tool: str, path: str) -> Wish | None:
    wishes = {
        wish
        for wish, words in _WISHES.items()
        if any(not _NOUN.search(sentence[max(0, one.start() - 60) : one.start()]) for one in words.finditer(sentence))
    }
    wanted = {"delete"} if tool == "delete_file" else {"keep", "make", "change"}
    if tool == "edit_file":
        wanted.add("delete")  # "Remove the second line."
    if not wishes & wanted:
        return None
    named = tuple(_targets(sentence, tool, path, wishes))
    is_for_new = tool == "write_file" and ("keep" in wishes or bool(_NEW_FILE.search(sentence)))
    return Wish(named, is_for_new, bool(_DOUBT.search(sentence)))


def _targets(sentence: str, tool: str, path: str, wishes: set[str]) -> Iterator[str]:
    """The names of files in a sentence that are to be changed by it, and not read only."""
    is_target, end = True, -1
    for begin, name in _names(sentence, path):
        before = sentence[max(0, begin - 120) : begin]
        # What is said of one name holds for the next one of a list.
        if end < 0 or not _AND.search(sentence[end:begin]) or len(sentence[end:begin].split()) > 1:
            is_target = not _BASIS.search(before)
            if tool == "delete_file":
                is_next = _DELETES_NEXT.search(before) or _DELETED_BEFORE.match(sentence, begin + len(name))
                is_target = is_target and not _INSIDE.search(before) and bool(is_next)
            elif not wishes & {"change", "delete"}:
                is_target = is_target and not _PART_OF.search(before)
        end = begin + len(name)
        if is_target:
            yield name.casefold().strip().removeprefix("./").removeprefix("/")


def _names(sentence: str, path: str) -> list[tuple[int, str]]:
    """The names of files in a sentence, each with its place; one with blanks only where it is the path itself."""
    found = {match.start(): match.group() for match in _NAME.finditer(sentence)}
    for name in {path, PurePosixPath(path).name}:
        if re.search(r"\.\w{1,8}$", name):
            for match in re.finditer(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w)", sentence, re.IGNORECASE):
                found.setdefault(match.start(), match.group())
    return sorted(found.items())
