"""Watched questions. Leaf asks them again for a member when a cited file, or a file that matches the question, changes.

Changes are found without a model: in the states of quotes (`library.quotes`), in the times at which files became
visible, and by a search of the index for the question. A worker claims a watch for a short time
(`jobs/library/watches`). The id of the new answer is derived from the watch and the number of the attempt. If a worker
dies, the question is therefore neither asked twice nor lost. `digests` is a namespace for the daily e-mail.
"""

from leaf.services.watches.checks import (
    CheckResult,
    Due,
    check,
    claim_due,
    conclude,
    due,
    note_asked,
    postpone,
    postpone_unchanged,
    refuse,
)
from leaf.services.watches.questions import (
    MOST_WATCHES,
    Every,
    Kind,
    Watch,
    begin,
    change,
    end,
    listed,
    of_message,
    read_all,
)
