"""`python -m tests.doctor_doc`: writes docs/drive-doctor.md, the causes for which a Drive fails, from the code."""

from pathlib import Path

from leaf.google.diagnosis import CODES, ROWS, Cause, Diagnosis, Row
from leaf.services import doctor
from leaf.texts import of

DOCUMENT = Path(__file__).parents[1] / "docs" / "drive-doctor.md"

_HEAD = """\
# When Google Drive fails

Leaf names the cause of a failure, and everything that shows it (Settings → Integrations, the banner of a chat, the
steps of an answer, the API, the administration page and the command line) uses the words of this table. Written by
`make docs` from `leaf/google/diagnosis.py`; do not edit it.

**Check it**: Settings → Integrations → *Check my Drive*, `POST /api/integrations/google_drive/check`, or for operators

    python -m leaf doctor                           the clock, the network, the OAuth client, the addresses for Google
    python -m leaf doctor --member ada@example.org  the connection of this member as well

The check makes nine probes, of at most 3 s each, and stops at the first that fails: {probes}.
Mend that and check again. What needs nobody to act is noted, and the check goes on; of up to three documents, one that
can be read is enough for the trial. The result can be copied; it holds no tokens and no secrets.

Errors of rows 1 and 3 to 10 stand on a page of Google's, and nobody comes back from there: Settings → Integrations
lists them as long as nothing has come back.

"""
_MENDERS = {
    "member": "you",
    "owner": "the owner of the file, or a manager of its shared drive",
    "workspace": "the administrator of the Google Workspace",
    "operator": "the operator of this Leaf",
    "network": "the administrator of the network",
    "time": "nobody: it passes",
    "leaf": "Leaf's developers",
}


def text() -> str:
    """The document."""
    say = of("en")
    head = _HEAD.format(probes=" · ".join(say(key) for key, _ in doctor.PROBES.values()))
    sections = [_section(cause, row) for cause, row in ROWS.items() if row.number]
    return head + "\n".join(sections)


def _section(cause: Cause, row: Row) -> str:
    known = {"account": "ada@example.net", "other": "ada@example.org", "address": "LEAF_URL", "client": "CLIENT_ID"}
    found = Diagnosis(cause, {"name": "Plan", **known})
    seen = f"\nGoogle shows: {CODES[cause]}.\n" if cause in CODES else ""
    forward = "\n> " + found.forward.replace("\n", "\n>\n> ") + "\n" if found.forward else ""
    return (
        f"## {row.number} · `{cause}`\n{seen}\n{found.message}\n\nCan be mended by: {_MENDERS[row.mender]}.\n{forward}"
    )


if __name__ == "__main__":
    DOCUMENT.write_text(text(), "utf-8")
