"""The jobs that workers run, for any queue: those that are enqueued by name, and those that have a schedule."""

from jobs import digests, imports, reaper, retention, trials
from jobs.library import vectors as library_vectors
from jobs.respond import respond
from leaf.queue import RESPOND, Function, Scheduled
from leaf.services import imports as import_service
from leaf.services import operation
from leaf.services.library import vectors


def functions() -> list[Function]:
    """The jobs that can be enqueued."""
    return [
        Function(RESPOND, respond),
        Function(import_service.JOB, imports.import_apart),
        Function(vectors.JOB, library_vectors.embed_queries, result_seconds=10, seconds=30, tries=1),
        Function(operation.TRIAL, trials.try_model, result_seconds=60, seconds=90, tries=1),
    ]


def schedule() -> list[Scheduled]:
    """The jobs that run on a schedule."""
    every_five_seconds = set(range(0, 60, 5))
    return [
        Scheduled(reaper.reap, every_five_seconds),
        Scheduled(reaper.expire, every_five_seconds),
        Scheduled(reaper.compare, {2, 17, 32, 47}, at_start=True),
        Scheduled(retention.purge_chats, {40}),
        Scheduled(retention.delete_unasked_chats, {40}, {33}),
        Scheduled(retention.expire_site_chats, {30}, {13, 43}),
        Scheduled(retention.expire_site_requests, {50}),
        Scheduled(imports.reap, {7, 27, 47}, at_start=True),
        Scheduled(retention.open_feeds, {25}, at_start=True),
        Scheduled(retention.forget_texts, {5, 20, 35, 50}),
        Scheduled(retention.cool_chats, {10}, {23}),
        Scheduled(retention.watch_sizes, {10}, {3}),
        Scheduled(digests.send_due, {35}),
        Scheduled(retention.purge_security_events, {20}, {7}),
    ]
