"""Keys and parameters of texts, beside the English sentences that version 0.1.0 has stored.

Pages make sentences from them in the reader's language (`leaf.texts.stored`). The English sentences stay, for programs
and for the version before.
"""

import json
import re
import tomllib
from pathlib import Path

import sqlalchemy as sa
from alembic import op

from leaf.db import migrate

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_PARAMETER = re.compile(r"\{(\w+)\}")
_BATCH = 500
_ROWS = sa.text("""
    SELECT id, parts, metadata, error_text FROM messages
    WHERE role = 'assistant' AND (CAST(:after AS uuid) IS NULL OR id > :after) AND (
        error_text IS NOT NULL
        OR jsonb_path_exists(parts, '$[*] ? (exists(@.errorText) || exists(@.output.skipped))')
        OR jsonb_path_exists(parts, '$[*].data ? (exists(@.skipped[*]) || exists(@.failed[*]))')
    )
    ORDER BY id LIMIT :most
""")
_UPDATE = sa.text("""
    UPDATE messages SET parts = CAST(:parts AS jsonb), metadata = CAST(:metadata AS jsonb) WHERE id = :id
""")


class Sentences:
    """The sentences of version 0.1.0."""

    def __init__(self):
        path = Path(__file__).parents[1] / "sentences" / "0031.toml"
        areas = tomllib.loads(path.read_text(encoding="utf-8"))
        self._within = {
            name: [(key, _PARAMETER.split(text)) for key, text in areas.pop(name).items()]
            for name in ("names", "reasons")
        }
        self._whole = [
            (f"{area}.{key}", _PARAMETER.split(text)) for area, texts in areas.items() for key, text in texts.items()
        ]

    def message(self, sentence):
        """The key and parameters of a sentence; None if it is none of these."""
        return self._found(self._whole, sentence) if isinstance(sentence, str) else None

    def _found(self, templates, sentence):
        for key, pieces in templates:
            values = _values(pieces, sentence)
            if values is None:
                continue
            parameters = {name: self._parameter(name, value) for name, value in values.items()}
            if None not in parameters.values():
                return {"key": key, "parameters": parameters}
        return None

    def _parameter(self, name, value):
        kind = {"what": "names", "why": "reasons"}.get(name)
        return self._found(self._within[kind], value) if kind else value


def _values(pieces, sentence):
    """The parameters of a sentence, in linear time: the words between them are looked for from the end."""
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return {} if sentence == first else None
    end = len(sentence) - len(last)
    if not sentence.startswith(first) or not sentence.endswith(last) or end <= len(first):
        return None
    values = {}
    for at in range(len(pieces) - 2, 1, -2):
        begin = sentence.rfind(pieces[at - 1], len(first), end)
        if begin < 0:
            return None
        values[pieces[at]] = sentence[begin + len(pieces[at - 1]) : end]
        end = begin
    values[pieces[1]] = sentence[len(first) : end]
    return values if all(values.values()) else None


def upgrade():
    migrate.execute("0031_keys.sql")
    sentences = Sentences()
    _upgrade_integrations(sentences)
    # The triggers would make every converted chat look as if something had just been written in it.
    op.execute("ALTER TABLE messages DISABLE TRIGGER USER")
    _upgrade_messages(sentences)
    op.execute("ALTER TABLE messages ENABLE TRIGGER USER")


def downgrade():
    """The keys in messages stay: version 0.1.0 does not read them."""
    op.drop_column("integrations", "status_key")


def _upgrade_integrations(sentences):
    connection = op.get_bind()
    update = sa.text("UPDATE integrations SET status_key = :key WHERE status_reason = :reason")
    reasons = connection.scalars(sa.text("SELECT DISTINCT status_reason FROM integrations")).all()
    for reason in reasons:
        if message := sentences.message(reason):
            connection.execute(update, {"key": message["key"], "reason": reason})


def _upgrade_messages(sentences):
    connection, after = op.get_bind(), None
    while rows := connection.execute(_ROWS, {"after": after, "most": _BATCH}).all():
        after = rows[-1].id
        changed = []
        for row in rows:
            parts = [_part(part, sentences) for part in row.parts]
            metadata = _with_message(row.metadata, "errorMessage", row.error_text, sentences)
            if (parts, metadata) != (row.parts, row.metadata):
                changed.append({"id": row.id, "parts": json.dumps(parts), "metadata": json.dumps(metadata)})
        if changed:
            connection.execute(_UPDATE, changed)


def _part(part, sentences):
    """A part of an answer with the keys of the sentences in it."""
    if part.get("type") == "data-coverage" and isinstance(part["data"], dict):
        lists = {name: part["data"].get(name) for name in ("skipped", "failed")}
        kept = {
            name: [_with_message(one, "message", one.get("reason"), sentences) for one in entries]
            for name, entries in lists.items()
            if isinstance(entries, list)
        }
        return {**part, "data": part["data"] | kept}
    output = part.get("output")
    skipped = output.get("skipped") if isinstance(output, dict) else None
    sentence = skipped.get("reason") if isinstance(skipped, dict) else part.get("errorText")
    metadata = part.get("resultProviderMetadata") or {}
    own = metadata.get("leaf") or {}
    described = _with_message(own, "message", sentence, sentences)
    return part if described == own else {**part, "resultProviderMetadata": {**metadata, "leaf": described}}


def _with_message(values, name, sentence, sentences):
    message = None if name in values else sentences.message(sentence)
    return {**values, name: message} if message else values
