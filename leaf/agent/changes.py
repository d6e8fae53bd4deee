"""Changes of the chat's files wait for the user where the user has not asked for one. A wrapper around the toolsets.

A document or a page may tell the agent to write, change or delete a file of the chat. No instruction to a model
prevents for sure that it does. So once text that others may have written is before the model, a call that changes
a file goes through by itself only if the user's own last message asks for such a change; else the user is asked, and
told what would change. Every change can be undone besides: files have versions.

Whether a message asks for a change is read from its words (`is_asked`), in the languages of `_WORDS`. In any other
language the user is asked, which is the safe side. Tools know nothing of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf.agent import continuing
from leaf.agent.deps import Deps

CHANGING = {"write_file": "write", "edit_file": "change", "delete_file": "delete"}
"""The tools that change the files of the chat, and what each does, in a word."""
_OWN = frozenset(
    {*CHANGING, "todoWrite", "askQuestion", "displayPlan", "displayTable", "displayCitations", "displayOptionList"}
)
"""Tools that return what the model or the user wrote themselves; all others return what anybody may have written."""
_SHOWN_CHARACTERS = 200
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
    "write": (
        r"write|create|make|draft|edit|change|update|replace|add|append|insert|rewrite|fix|correct|mend|rename|move|"
        r"copy|put|fill|extend|shorten|writing|creating|editing|"
        r"schreiben?|schreibst|erstellen?|erstellst|erzeugen?|entw[eiü]rf|entwerfen|ändern?|bearbeiten?|aktualisieren?|"
        r"ersetzen?|ergänzen?|fügen?|einfügen|hinzufügen|korrigieren?|verbessern?|verbessere|kürzen?|kopieren?|"
        r"überarbeiten?|machen?|"
        r"écri(?:s|re|vez)|crée[rz]?|rédige[rz]?|modifie[rz]?|change[rz]?|ajoute[rz]?|remplace[rz]?|corrige[rz]?|"
        r"mets|mettez|mettre|escrib[ae]|escribir|cre[ae]|crear|modifi(?:ca|car|que)|cambia|cambiar|añad[ae]|añadir|"
        r"agrega|agregar|reemplaza|reemplazar|corrige|corregir|actualiza|actualizar|"
        r"scrivi|scrivere|crea|creare|modifica|modificare|aggiungi|aggiungere|sostituisci|aggiorna|correggi|"
        r"escreva|escrever|crie|criar|altere|alterar|adicione|adicionar|atualize|atualizar|"
        r"schrijf|maak|wijzig|bewerk|voeg|vervang|napisz|zmień|utwórz|dodaj|"
        r"напиши(?:те)?|созда(?:й|йте|ть)|измени(?:те)?|добавь(?:те)?|исправь(?:те)?"
    ),
    "delete": (
        r"delete|remove|erase|clear|drop|discard|get rid|deleting|removing|löschen?|lösche|entfernen?|tilgen?|wirf|"
        r"supprime[rz]?|efface[rz]?|enlève|borra|borrar|elimina|eliminar|quita|quitar|cancella|rimuovi|apague|apagar|"
        r"remova|remover|exclua|verwijder|wis|usuń|skasuj|удали(?:те|ть)?|сотри(?:те)?"
    ),
    "file": (
        r"files?|notes?|notebook|datei(?:en)?|notiz(?:en)?|fichiers?|archivos?|ficheros?|notas?|apuntes|appunti|"
        r"arquivos?|ficheiros?|bestand(?:en)?|notities?|pliki?|файл\w*|заметк\w*"
    ),
}  # fmt: skip
"""Words of wishes in several languages. Whoever wants something kept means a file; other wishes have to name one."""
_IDEOGRAPHS = {
    "keep": "保存|記録して|记录下|저장|기록해",
    "write": "書いて|書き|写入|写到|作成|创建|修改|更新|追加|編集|编辑|작성|수정|추가|변경",
    "delete": "削除|删除|消して|삭제|지워",
    "file": "ファイル|文件|メモ|笔记|파일|메모",
}
_WISHES = {
    wish: re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])|{_IDEOGRAPHS[wish]}", re.IGNORECASE)
    for wish, words in _WORDS.items()
}
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+|(?<=[。！？])")
_ASKS_ABOUT = re.compile(
    r"\W*(?:what|which|who|whom|whose|when|where|why|how|does|did|is|are|was|were|has|have|"
    r"welche\w*|wer|wem|wen|wann|wo|warum|wieso|wie|hat|haben|ist|sind|quel\w*|qui|quand|où|pourquoi|comment|"
    r"qué|cuál\w*|quién|cuándo|dónde|cómo|quale|quali|chi|quando|dove|perché|come|qual|quem|onde|wat|wie|welke|"
    r"wanneer|waar|waarom|hoe|co|kto|kiedy|gdzie|что|кто|когда|где|почему|как)\b",
    re.IGNORECASE,
)
"""How a sentence begins that asks what something is, and wants nothing done."""
_NAME = re.compile(r"[\w./-]*\w\.(?:md|markdown|txt|csv|tsv|json|ya?ml|toml|html?|xml|py|js|ts|css|sql|sh|tex|log)\b")
"""What looks like the path of a file in a message."""


def toolset(wrapped: AbstractToolset[Deps]) -> AbstractToolset[Deps]:
    """The toolset, with changes of files that wait for the user where nobody has asked for them."""
    return _Asked(wrapped)


@dataclass
class _Asked(WrapperToolset[Deps]):
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        if name in CHANGING and not ctx.tool_call_approved and has_read_others(ctx):
            path = str(tool_args.get("path", ""))
            if not is_asked(_question(ctx.messages), name, path):
                raise ApprovalRequired(metadata={"reason": _reason(name, path)})
        return await super().call_tool(name, tool_args, ctx, tool)


def has_read_others(ctx: RunContext[Deps]) -> bool:
    """Whether text that others may have written is before the model: any result of the chat that is not its own."""
    window = ctx.deps.context
    if window is not None and window.summary is not None:
        return True  # Documents have a part in it.
    return any(
        isinstance(part, ToolReturnPart) and part.tool_name not in _OWN
        for message in ctx.messages
        for part in message.parts
    )


def is_asked(question: str, tool: str, path: str) -> bool:
    """Whether a message asks for a change of a file, by its words.

    Args:
        question: The user's last message.
        tool: One of `CHANGING`.
        path: The file that the call would change.

    Returns:
        False in doubt: the user is asked then.
    """
    return any(
        _is_wish(sentence, tool, path)
        for sentence in _SENTENCE.split(question[:_READ_CHARACTERS])
        if not _ASKS_ABOUT.match(sentence)
    )


def _is_wish(sentence: str, tool: str, path: str) -> bool:
    wishes = {wish for wish, words in _WISHES.items() if words.search(sentence)}
    wanted = {"delete"} if tool == "delete_file" else {"keep", "write"}
    if tool == "edit_file":
        wanted.add("delete")  # "Remove the second line."
    if not wishes & wanted:
        return False
    named = {name.casefold() for name in _NAME.findall(sentence)}
    if named:
        whole = path.casefold().strip().removeprefix("./")
        return bool(named & {whole, PurePosixPath(whole).name}) or any(name.endswith(f"/{whole}") for name in named)
    return "file" in wishes or (tool != "delete_file" and "keep" in wishes)


def _question(messages: Sequence[ModelMessage]) -> str:
    """The user's last message; what goes on without a new one is still about it."""
    for message in filter(continuing.asks, reversed(messages)):
        for part in reversed(message.parts):
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                return "\n".join(one for one in content if isinstance(one, str))
    return ""


def _reason(tool: str, path: str) -> str:
    shown = " ".join("".join(letter if letter.isprintable() else " " for letter in path).split())[:_SHOWN_CHARACTERS]
    return (
        f"Leaf wants to {CHANGING[tool]} the file “{shown}”, which your message does not ask for. This chat has read "
        "text that others may have written, and such text can mislead Leaf."
    )
