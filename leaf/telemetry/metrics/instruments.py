"""The counters and histograms of this process. Names, units and types follow the conventions of Prometheus.

Each label has few values: statuses, codes, kinds or models. Labels never hold ids or personal data.
"""

from typing import Final, Literal

from prometheus_client import CollectorRegistry, Counter, Histogram

from leaf import config

REGISTRY: Final = CollectorRegistry(auto_describe=False)
"""The instruments of this process; `leaf.telemetry.metrics.sums` adds up all processes."""

_MODELS: Final = 50
_OTHER: Final = "other"
_FIRST_TEXT: Final = (0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120)
_WAIT: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_DURATION: Final = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800)

runs: Final = Counter("leaf_runs", "Answers that have ended, by how.", ["status"], registry=REGISTRY)
run_errors: Final = Counter("leaf_run_errors", "Answers that have failed, by code.", ["code"], registry=REGISTRY)
run_duration: Final = Histogram(
    "leaf_run_duration_seconds",
    "From the beginning of an answer by its first worker to its end.",
    buckets=_DURATION,
    registry=REGISTRY,
)
first_text: Final = Histogram(
    "leaf_run_first_text_seconds",
    "From the request for an answer to the first text of it that a reader can see.",
    buckets=_FIRST_TEXT,
    registry=REGISTRY,
)
queue_wait: Final = Histogram(
    "leaf_run_queue_wait_seconds",
    "From the request for an answer to its beginning by a worker.",
    buckets=_WAIT,
    registry=REGISTRY,
)
tokens: Final = Counter(
    "leaf_tokens",
    "Tokens of answers. Those read from and written to a cache are part of input, thinking is part of output.",
    ["kind", "model"],
    registry=REGISTRY,
)
cost: Final = Counter(
    "leaf_cost_usd", "US dollars that answers have cost, where the price is known.", ["model"], registry=REGISTRY
)
http_errors: Final = Counter("leaf_http_errors", "Requests that were refused, by code.", ["code"], registry=REGISTRY)
security_events: Final = Counter(
    "leaf_security_events", "Security events that were logged, by kind.", ["kind"], registry=REGISTRY
)

features: Final = Counter(
    "leaf_features", "Uses of features by signed-in people, without who they are.", ["feature"], registry=REGISTRY
)

_named: set[str] = set()


def count_feature(feature: Literal["search", "share", "export", "fork", "invite"]) -> None:
    """Counts a use of a feature by a member, unless LEAF_FEATURE_COUNTS switches that off."""
    if config.current().feature_counts:
        features.labels(feature).inc()


def model_label(model: str) -> str:
    """The label of a model. Once 50 models have a label, all others get the label `other`."""
    if model not in _named and len(_named) >= _MODELS:
        return _OTHER
    _named.add(model)
    return model
