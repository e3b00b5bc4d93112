"""Background jobs: one at a time for each document and kind of work; a new one takes the place of the old.

Every start makes a new generation. What a job of an older generation still says is not published, and cancelling a
job cancels its asyncio task, which kills the processes under it.
"""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Literal

logger = logging.getLogger(__name__)

Kind = Literal["verify", "agent"]


class Job:
    """One piece of work. It is `current` until another takes its place or it is cancelled."""

    def __init__(self, uri: str, kind: Kind, title: str, generation: int) -> None:
        self.uri, self.kind, self.title, self.generation = uri, kind, title, generation
        self.entry: str | None = None
        self.about: object = None
        """What it is done for: the same again need not be begun again."""
        self.message = ""
        self.cancelled = False
        self.task: asyncio.Task[None] | None = None

    @property
    def current(self) -> bool:
        return not self.cancelled

    def cancel(self) -> None:
        self.cancelled = True
        if self.task is not None:
            self.task.cancel()


class Jobs:
    """The jobs that run.

    Args:
        changed: called whenever a job began, ended or said something.
        failed: called with a job that a fault of ours ended, and what it was.
    """

    def __init__(self, changed: Callable[[], None], failed: Callable[[Job, Exception], None]) -> None:
        self._changed = changed
        self._failed = failed
        self._generations = itertools.count(1)
        self._jobs: dict[tuple[str, Kind], Job] = {}
        self._working: dict[tuple[str, Kind], asyncio.Task[None]] = {}
        """Whose turn it is, though it may have been cancelled and only be ending."""
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def running(self) -> tuple[Job, ...]:
        return tuple(self._jobs.values())

    def find(self, uri: str, kind: Kind) -> Job | None:
        return self._jobs.get((uri, kind))

    def start(
        self,
        uri: str,
        kind: Kind,
        title: str,
        work: Callable[[Job], Awaitable[None]],
        entry: str | None = None,
    ) -> Job | None:
        """Start `work` in place of what runs for the same document and kind; None once the server shuts down."""
        if self._closed:
            return None
        previous = self._jobs.pop((uri, kind), None)
        job = Job(uri, kind, title, next(self._generations))
        job.entry = entry
        if previous is not None:
            previous.cancel()
        self._jobs[uri, kind] = job
        job.task = asyncio.create_task(self._run(job, work))
        self._ending.add(job.task)
        job.task.add_done_callback(self._ending.discard)
        self._changed()
        return job

    async def _run(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        key = job.uri, job.kind
        try:
            # The processes of those before are gone before ours begin: five saves leave one compiler, not five.
            while working := self._working.get(key):
                await asyncio.wait([working])
            assert job.task is not None
            self._working[key] = job.task
            await work(job)
        except asyncio.CancelledError:
            job.cancelled = True
        except Exception as error:
            logger.exception("%s failed", job.title)
            self._failed(job, error)
        finally:
            if self._working.get(key) is job.task:
                del self._working[key]
            if self._jobs.get(key) is job:
                del self._jobs[key]
            self._changed()

    def say(self, job: Job, message: str) -> None:
        job.message = message
        self._changed()

    def cancel(self, uri: str, entry: str | None = None) -> bool:
        """Cancel what runs for a document, or for one entry of it. Whether there was anything."""
        found = [
            job
            for job in self.running
            if job.uri == uri and (entry is None or job.entry is None or job.entry == entry)
        ]
        for job in found:
            job.cancel()
        return bool(found)

    async def ended(self) -> None:
        """Wait until what was cancelled before has ended, and its processes with it."""
        cancelled = {task for task in self._ending if task.cancelling()}
        if cancelled:
            await asyncio.wait(cancelled)

    async def close(self) -> None:
        """Cancel everything and wait until it has ended."""
        self._closed = True
        for job in self.running:
            job.cancel()
        while self._ending:
            await asyncio.wait(set(self._ending))
