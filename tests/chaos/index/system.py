"""The processes of the index bench: PostgreSQL, Redis, the sandbox with its Drive, and the worker of the index."""

import asyncio
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from redis import exceptions as redis_errors

from leaf import config, redis
from leaf.db import Actor, session, transaction
from leaf.google.drive import Drive as DriveClient
from leaf.services.integrations import UserDrive
from leaf.services.library import feeds, file_texts
from tests.acceptance import people
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew, Worker

_NOTES = (
    "CREATE TABLE chaos_reads (file_id text, revision text)",
    """CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO public.chaos_reads VALUES (NEW.file_id, NEW.revision); RETURN NEW; END $$""",
    """CREATE TRIGGER chaos_note AFTER UPDATE ON drive_texts FOR EACH ROW
    WHEN (NEW.state = 'read' AND OLD.state IS DISTINCT FROM 'read') EXECUTE FUNCTION chaos_note()""",
)


class IndexStack(Stack):
    """The services with a Drive that can be changed, and workers that keep its index."""

    index = True

    def _drive(self) -> Path | None:
        return None


class System:
    """Everything, in one folder that is removed at the end."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="leafi-", dir="/tmp"))  # socket paths are short
        self.folder.chmod(0o755)
        self.stack = IndexStack(self.folder)
        self.ada: Actor
        self.http: httpx.AsyncClient
        self._sample: list[str] = []
        """The topmost files and folders of the sample, which no trial has."""
        self.changing = asyncio.Lock()
        """One fault at a time starts or ends processes."""

    async def start(self) -> None:
        """Starts everything, and connects somebody's Drive."""
        await asyncio.to_thread(self.stack.start)
        config.install(self.stack.settings)
        for statement in _NOTES:
            self.stack.execute(statement)  # pyright: ignore[reportArgumentType]
        self.http = httpx.AsyncClient(base_url=self.stack.sandbox.url, trust_env=False, timeout=30)
        actor = await people.sign_in("ada")
        self.ada = Actor.worker_for(actor.member_id, actor.own_workspace_id)
        sample = {str(file["id"]): file.get("parents", []) for file in await self.listed()}
        self._sample = [one for one, parents in sample.items() if not sample.keys() & {*parents}]
        self.crew = Crew(self.stack, "tests.chaos.index.worker.WorkerSettings")
        await self.crew.of(1)

    async def listed(self) -> list[dict[str, Any]]:
        """Everything that the sandbox shows to the member, in its own answers."""
        token = (await UserDrive(self.ada).credentials()).access_token
        found: list[dict[str, Any]] = []
        drives = (await self._asked(token, "/drive/v3/drives", {})).get("drives", [])
        for of in ({"corpora": "user"}, *({"corpora": "drive", "driveId": one["id"]} for one in drives)):
            page = ""
            while True:
                asked = {
                    "q": "trashed = false", "supportsAllDrives": "true", "includeItemsFromAllDrives": "true",
                    "pageSize": "1000", "fields": "nextPageToken,files(id,parents)",
                }  # fmt: skip
                answer = await self._asked(token, "/drive/v3/files", asked | of | ({"pageToken": page} if page else {}))
                found += answer["files"]
                page = answer.get("nextPageToken", "")
                if not page:
                    break
        return list({one["id"]: one for one in found}.values())

    async def _asked(self, token: str, path: str, query: dict[str, str]) -> dict[str, Any]:
        answer = await self.http.get(path, params=query, headers={"authorization": f"Bearer {token}"})
        answer.raise_for_status()
        return answer.json()

    async def empty(self) -> None:
        """Makes Drive and index as empty as before the first trial; the worker opens no feed meanwhile."""
        async with transaction(self.ada) as tx:
            await feeds.choose(tx, keeps=False)
        self.stack.execute("DELETE FROM drive_feeds")
        self.stack.execute("DELETE FROM drive_sight")
        self.stack.execute("DELETE FROM drive_texts")
        self.stack.execute("DELETE FROM chaos_reads")
        (await self.http.delete("/sandbox/faults")).raise_for_status()
        (await self.http.delete("/sandbox/files", params={"without": self._sample})).raise_for_status()
        (await self.http.delete("/sandbox/requests")).raise_for_status()

    async def connect(self) -> None:
        """Opens the feed of the member's Drive, which the worker reads from now on."""
        async with transaction(self.ada) as tx:
            await feeds.choose(tx, keeps=True)
        await feeds.open_missing()

    async def fault(self, fault: dict[str, Any]) -> None:
        """Has the sandbox answer wrongly."""
        (await self.http.post("/sandbox/faults", json=fault)).raise_for_status()

    async def kill_worker(self) -> None:
        """Kills the worker; the time that its claims would last passes at once."""
        async with self.changing:
            for worker in self.crew.alive:
                worker.kill()
            self.stack.execute("UPDATE drive_texts SET retry_at = now() WHERE state = 'reading'")
            self.stack.execute("UPDATE drive_feeds SET claimed_until = now()")
            self.crew.hire()

    async def end_worker(self) -> None:
        """Tells the worker to end, and starts another one."""
        async with self.changing:
            old: list[Worker] = self.crew.alive
            for worker in old:
                worker.terminate()
            for worker in old:
                await asyncio.to_thread(worker.process.wait, 60)
            self.crew.hire()

    async def flush_redis(self) -> None:
        """Empties Redis, if it runs."""
        with suppress(redis_errors.ConnectionError):
            await redis.client().flushall()

    async def whole(self) -> None:
        """Starts again whatever a fault has left dead, and takes back the faults of the sandbox."""
        await asyncio.to_thread(self.stack.ensure)
        (await self.http.delete("/sandbox/faults")).raise_for_status()
        await self.crew.of(1)

    def pass_time(self) -> None:
        """The waits after failures are over, and the feeds are due."""
        self.stack.execute("UPDATE drive_texts SET retry_at = now() WHERE state = 'failed'")
        # One after the other, as the worker takes them: it would wait for two at once in another order.
        for (drive_id,) in self.stack.execute("SELECT drive_id FROM drive_feeds"):
            self.stack.execute(
                "UPDATE drive_feeds SET checked_at = NULL, retry_at = now() WHERE drive_id = %s", drive_id
            )

    async def stop(self) -> None:
        """Ends everything."""
        await self.http.aclose()
        await session.dispose()
        await redis.close()
        await asyncio.to_thread(self.crew.stop)
        await asyncio.to_thread(self.stack.stop)
        shutil.rmtree(self.folder, ignore_errors=True)


def client_of(actor: Actor) -> DriveClient:
    """Drive with the member's own token."""
    return DriveClient(UserDrive(actor))


async def forget() -> None:
    """Deletes the texts that nobody sees, as the worker does every minute."""
    await file_texts.forget()
