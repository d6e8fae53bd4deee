"""What the Sandbox model reports that a request has used: made up from words, and the same for the same request."""

from dataclasses import asdict, dataclass

from sandbox.model import wire


@dataclass(frozen=True)
class Usage:
    """Tokens of one request. Input includes what the cache held or took, output includes the reasoning."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    @property
    def uncached(self) -> int:
        """The input that has nothing to do with the cache."""
        return self.input - self.cache_read - self.cache_write

    def as_json(self) -> wire.JsonObject:
        """For the log of requests."""
        return asdict(self)


def of(request: wire.Request, reply: wire.Reply) -> Usage:
    """The usage of a request that is answered to its end.

    A provider's cache holds what an earlier request has sent: everything before the model's last reply.
    """
    total = request.input_tokens
    read = min(request.repeated_tokens, total) if request.caches else 0
    written = total - read if request.caches and request.reports_cache_writes else 0
    return Usage(total, reply.output_tokens, read, written, reply.reasoning_tokens)


def at_the_start(request: wire.Request) -> Usage:
    """What Anthropic reports before the first word: the input, and one token of output."""
    usage = of(request, wire.Reply())
    return Usage(usage.input, 1, usage.cache_read, usage.cache_write)
