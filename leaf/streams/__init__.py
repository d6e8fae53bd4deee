"""Run streams: the chunks of an answer while it is being written, in Redis.

One worker at a time writes a run (`acquire`, `Writer`). Any number of readers follow it (`follow`) from any index; all
readers of a process share one connection. A replaced worker finds out at its next write (`Replaced`).

Each function that uses Redis raises `errors.RedisUnavailable` if Redis does not answer. Each write of a run raises
`Replaced` if another worker writes the run now, or if its stream is gone.
"""

from leaf.streams.follow import UNTAKEN_SECONDS, Batch, Event, Lost, Ping, Revoked, Untaken, follow, read
from leaf.streams.hub import followers
from leaf.streams.keys import RunId, delete, identity, keys, length
from leaf.streams.lease import Lease, acquire, leased, renewing
from leaf.streams.merger import Merger
from leaf.streams.rights import Answer, Reader
from leaf.streams.stop import request_stop, stop_requested, wait_for_stop
from leaf.streams.writer import Checkpoint, Replaced, Writer, append_tail, read_checkpoint
