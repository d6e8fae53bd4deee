"""`arq tests.acceptance.living_worker.WorkerSettings`: Leaf's worker, whose index pauses for a shorter time, and which
looks for e-mails to be sent every second.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "WorkerSettings":
        from arq import cron

        from jobs import digests
        from tests.chaos.index import worker

        settings: Any = worker.WorkerSettings
        often = cron(digests.send_due, name="cron:send_often", second=set(range(60)), keep_result=0, max_tries=1)
        settings.cron_jobs = [*settings.cron_jobs, often]
        return settings
    raise AttributeError(name)
