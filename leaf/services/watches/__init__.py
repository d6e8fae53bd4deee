"""Watched questions: asked again for a member when a file that is cited, or that matches the question, changes.

Changes are found without a model: in the states of quotes (`library.quotes`), in the times at which files
became visible, and by the index's search for the words of the question. A worker takes a watch for a short time
(`jobs/library/watches`); the id of the answer that it asks for is made from the watch and the number of its attempt, so
that a worker that dies neither asks twice nor loses an answer. `digests` is a namespace of its own: the daily e-mail.
"""

from leaf.services.watches.looks import (
    SETTLED,
    Due,
    Look,
    conclude,
    due,
    look,
    note_asked,
    pass_over,
    postpone,
    refuse,
    take,
)
from leaf.services.watches.questions import (
    MOST,
    PERIODS,
    Every,
    Kind,
    State,
    Watch,
    begin,
    change,
    end,
    listed,
    of_message,
    read_all,
    require_period,
)
