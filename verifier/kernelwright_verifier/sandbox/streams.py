"""The pipes of a confined tree, pumped by the event loop without a task for each."""

import asyncio
import os
from collections.abc import Callable

_CHUNK = 1 << 16


class Reader:
    """Hands what arrives on a pipe to `take`, until its end."""

    def __init__(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._ready)

    def close(self) -> None:
        if not self.ended.done():
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self.ended.set_result(None)

    def _ready(self) -> None:
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self.close()


class Writer:
    """Writes to a pipe as fast as its reader takes it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._pending = bytearray()
        self._closing = False
        self._closed = False
        self._drained: asyncio.Future[None] | None = None
        os.set_blocking(descriptor, False)

    def write(self, data: bytes) -> None:
        """Queue data; silently dropped where the other side has closed, whose end is seen elsewhere."""
        if self._closed or self._closing:
            return
        idle = not self._pending
        self._pending += data
        if idle:
            self._loop.add_writer(self._descriptor, self._ready)

    async def drain(self) -> None:
        """Wait until all that was queued is taken or cannot be any more."""
        if self._pending and not self._closed:
            if self._drained is None:
                self._drained = self._loop.create_future()
            await asyncio.shield(self._drained)

    def finish(self) -> None:
        """Close after what is queued."""
        self._closing = True
        if not self._pending:
            self.close()

    def close(self) -> None:
        """Close now."""
        if self._closed:
            return
        self._closed = True
        self._loop.remove_writer(self._descriptor)
        os.close(self._descriptor)
        self._pending.clear()
        self._wake()

    def _ready(self) -> None:
        try:
            count = os.write(self._descriptor, memoryview(self._pending)[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        del self._pending[:count]
        if not self._pending:
            self._loop.remove_writer(self._descriptor)
            self._wake()
            if self._closing:
                self.close()

    def _wake(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._drained = None
