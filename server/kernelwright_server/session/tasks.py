"""Background work that is no document's job: one place holds it, hears of its faults and ends it."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)

Key = tuple[str, ...]


class Tasks:
    """The tasks that run in the background. asyncio itself holds them weakly and drops their exceptions."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._keyed: dict[Key, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the server shuts down: nothing is started any more."""
        return self._closed

    def spawn(
        self, work: Coroutine[Any, Any, None], what: str, key: Key | None = None
    ) -> asyncio.Task[None] | None:
        """Start `work`; None, with nothing started, once the server shuts down.

        Args:
            what: what the log calls it if it fails.
            key: cancels the task that was started under the same key before.
        """
        if self._closed:
            work.close()
            return None
        if key is not None:
            self.cancel(*key)
        task = asyncio.create_task(work)
        self._running.add(task)
        if key is not None:
            self._keyed[key] = task

        def ended(_: asyncio.Task[None]) -> None:
            self._running.discard(task)
            if key is not None and self._keyed.get(key) is task:
                del self._keyed[key]
            if not task.cancelled() and (error := task.exception()) is not None:
                logger.error("%s failed", what, exc_info=error)

        task.add_done_callback(ended)
        return task

    def cancel(self, *prefix: str) -> None:
        """Cancel the tasks whose keys begin with `prefix`."""
        for key in [key for key in self._keyed if key[: len(prefix)] == prefix]:
            self._keyed.pop(key).cancel()

    async def stop(self, besides: asyncio.Task[None] | None = None) -> None:
        """Cancel everything that runs, `besides` apart, and wait until it has ended."""
        stopped = [task for task in self._running if task is not besides]
        for task in stopped:
            task.cancel()
        self._keyed.clear()
        await asyncio.gather(*stopped, return_exceptions=True)

    def close(self) -> None:
        """Start nothing from now on; what runs is ended by `stop`."""
        self._closed = True
