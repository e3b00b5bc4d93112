"""The live workers: one for each task, at most two, each until it has been idle for half a minute."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable

from kernelwright_verifier.reference.parent_client import ParentEnded, Worker

MOST_ALIVE = 2
IDLE_S = 30.0


class _Seat:
    """A place for one worker, which may be on its way in or out."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self.busy = True
        self.timer: asyncio.TimerHandle | None = None


class Workers:
    """Lends workers by their task. The one that was not used for longest makes room for another; a busy one is waited for."""

    def __init__(self, discard: Callable[[Worker], Awaitable[None]]) -> None:
        """
        Args:
            discard: removes what a worker, which is gone, has left.
        """
        self._seats: OrderedDict[str, _Seat] = OrderedDict()
        self._changed = asyncio.Condition()
        self._discard = discard
        self._ending: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def lent(
        self,
        task: str,
        make: Callable[[], Awaitable[Worker]],
        start: Callable[[Worker], Awaitable[None]],
    ) -> AsyncIterator[Worker]:
        """The task's worker, for one at a time; made and started if there is none.

        Raises:
            ParentEnded: from `start`.
        """
        seat, answered = await self._take(task), False
        try:
            if seat.worker is not None and not seat.worker.running:
                await self._empty(seat)
            if seat.worker is None:
                seat.worker = await make()
                await start(seat.worker)
            yield seat.worker
            answered = True
        finally:
            seat.busy = False
            # One that was left before it had answered may still be at it.
            if not answered or seat.worker is None or not seat.worker.running:
                self._leave(task, seat)
            else:
                loop = asyncio.get_running_loop()
                seat.timer = loop.call_later(IDLE_S, self._leave, task, seat)
            await self._tell()

    async def close(self) -> None:
        """Forget all; those who end the parent have ended its workers."""
        for task, seat in list(self._seats.items()):
            self._leave(task, seat)
        while self._ending:
            await asyncio.gather(*self._ending, return_exceptions=True)

    async def _take(self, task: str) -> _Seat:
        async with self._changed:
            while True:
                seat = self._seats.get(task)
                if seat is not None and not seat.busy:
                    break
                if seat is None:
                    idle = next((key for key, other in self._seats.items() if not other.busy), None)
                    if len(self._seats) >= MOST_ALIVE and idle is not None:
                        # Told in this order, the parent has ended the one before it forks the other.
                        self._leave(idle, self._seats[idle])
                    if len(self._seats) < MOST_ALIVE:
                        seat = self._seats[task] = _Seat()
                        break
                await self._changed.wait()
            seat.busy = True
            self._seats.move_to_end(task)
            if seat.timer is not None:
                seat.timer.cancel()
                seat.timer = None
            return seat

    def _leave(self, task: str, seat: _Seat) -> None:
        if seat.timer is not None:
            seat.timer.cancel()
        if self._seats.get(task) is seat:
            del self._seats[task]
        ending = asyncio.ensure_future(self._empty(seat))
        self._ending.add(ending)
        ending.add_done_callback(self._ended)

    def _ended(self, ending: "asyncio.Task[None]") -> None:
        self._ending.discard(ending)
        if not ending.cancelled():
            ending.exception()

    async def _empty(self, seat: _Seat) -> None:
        worker, seat.worker = seat.worker, None
        if worker is None:
            return
        with contextlib.suppress(ParentEnded):  # with its workers
            await worker.end()
        await self._discard(worker)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
