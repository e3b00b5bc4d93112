"""The client of the reference's parent process, and of the workers that it forks: lines out, lines in (`reference_worker`)."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.confinement import Confinement, Limits
from kernelwright_verifier.reference.replies import NoAnswer, parsed

LONGEST_ANSWER = 8 << 20
"""as the parent bounds it; it is bounded here as well"""
GRACE_S = 30.0
"""beyond a request's own limit: by then the parent itself, not the task, must be stuck"""
# While torch is loaded the parent says so every other second. One that says nothing hangs; one that has had so much of the
# processor will not come to its end; and whatever the machine is busy with, at some time nobody waits any more.
_SILENT_S = 120.0
_LOADING_CPU_S = 120.0
_LOADING_S = 900.0

End = Literal["order", "crash", "foreign", "flood", "unconfined"]
_ENDS: frozenset[str] = frozenset(("order", "crash", "foreign", "flood", "unconfined"))


class ParentEnded(Exception):
    """The parent is gone, or said nothing in time."""


class SlowParent(ParentEnded):
    """It is well, and would have answered in time where less else goes on."""


class WorkerEnded(Exception):
    """A worker is gone. `why` says how, `said` what of its confinement failed."""

    def __init__(self, why: End, said: str = "") -> None:
        super().__init__(said or why)
        self.why = why
        self.said = said


class ConfinedConversation(Protocol):
    """A confined program that stays: lines in, lines out (`sandbox.confinement.ConfinedProcess`)."""

    nested: Callable[[Path], dict[str, Any]]

    async def send(self, line: bytes) -> None: ...
    async def receive(self) -> bytes | None: ...
    def close_stdin(self) -> None: ...
    def kill(self) -> None: ...
    async def wait(self) -> int: ...
    @property
    def log(self) -> bytes: ...


class Starter(Confinement, Protocol):
    """What the reference needs of a sandbox."""

    async def start(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits = ...,
        nests: bool = False,
    ) -> ConfinedConversation: ...


class _Greeting(Model):
    """What the parent says before there is a worker."""

    loading_cpu_s: float | None = None
    python: str | None = None
    executable: str | None = None
    torch: str | None = None
    error: str | None = None


class ReferenceParent:
    """One running parent. It never reads a task, and what its workers say it passes on as it came."""

    def __init__(self, process: ConfinedConversation) -> None:
        self._process = process
        self._workers: dict[int, Worker] = {}
        self._last = 0
        self._reader: asyncio.Task[None] | None = None

    async def greet(self) -> None:
        """Wait until torch is loaded.

        Raises:
            ParentEnded: it has no torch, or ended, or says nothing; SlowParent if it is still loading.
        """
        began, cpu_s = time.monotonic(), 0.0
        hello: _Greeting | None = _Greeting(loading_cpu_s=0.0)
        while hello is not None and hello.loading_cpu_s is not None:
            cpu_s = hello.loading_cpu_s
            waited_s = time.monotonic() - began
            if cpu_s > _LOADING_CPU_S:
                raise ParentEnded(
                    f"import torch has used {cpu_s:.0f} s of processor time and has not finished"
                )
            if waited_s > _LOADING_S:
                raise SlowParent(
                    f"torch is slow to start: after {waited_s:.0f} s, with {cpu_s:.1f} s of processor time, it is not "
                    "loaded"
                )
            try:
                line = await asyncio.wait_for(self._process.receive(), _SILENT_S)
            except TimeoutError:
                raise ParentEnded(f"it made no progress for {_SILENT_S:g} s while importing torch") from None
            try:
                hello = parsed(_Greeting, line) if line else None
            except NoAnswer:
                raise ParentEnded("its first reply is not that of the program that was started") from None
        if hello is None:
            raise ParentEnded(self._last_words())
        if hello.torch is None:
            raise ParentEnded(f"import torch failed: {hello.error}")
        self._reader = asyncio.ensure_future(self._read())

    @property
    def running(self) -> bool:
        return self._reader is not None and not self._reader.done()

    def worker(self, folder: Path) -> "Worker":
        """A worker for one task, which is yet to be started."""
        self._last += 1
        worker = self._workers[self._last] = Worker(self, self._last, folder)
        return worker

    async def orders(self, folder: Path) -> dict[str, Any]:
        """How a fork of it confines itself to `folder`."""
        return await asyncio.to_thread(self._process.nested, folder)

    def forget(self, worker: "Worker") -> None:
        """Of one that was never started."""
        self._workers.pop(worker.number, None)

    async def send(self, what: str, number: int, content: dict[str, Any] | None = None) -> None:
        """Raises ParentEnded where the parent is gone."""
        if not self.running:
            raise ParentEnded(self._last_words())
        payload = b"" if content is None else json.dumps(content).encode() + b"\n"
        header = f"{what} {number} {len(payload)}".encode()
        try:
            # The conversation adds the end of line, which here is the payload's own.
            await self._process.send(header + b"\n" + payload[:-1] if payload else header)
        except OSError as error:
            raise ParentEnded(str(error)) from None

    async def close(self) -> None:
        """End it and all workers; when this returns they are gone."""
        self._process.kill()
        await self._process.wait()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        for worker in list(self._workers.values()):
            worker.lost()

    async def _read(self) -> None:
        try:
            while (line := await self._process.receive()) is not None:
                kind, _, rest = line.partition(b" ")
                number, _, said = rest.partition(b" ")
                worker = self._workers.get(int(number)) if number.isdigit() and len(number) < 10 else None
                if worker is None:
                    continue
                if kind == b"ended":
                    del self._workers[worker.number]
                    why, _, what = said.decode(errors="replace").partition(" ")
                    worker.ended(why if why in _ENDS else "crash", what[:300])  # type: ignore[arg-type]
                else:
                    worker.hear(said, whole=kind == b"line")
        finally:
            for worker in list(self._workers.values()):
                worker.lost()
            self._workers.clear()

    def _last_words(self) -> str:
        said = self._process.log.decode(errors="replace").strip().rpartition("\n")[2]
        return f"it ended{f': {said}' if said else ''}"


class Worker:
    """One forked worker, which knows one task and writes in one folder."""

    def __init__(self, parent: ReferenceParent, number: int, folder: Path) -> None:
        self.number = number
        self.folder = folder
        self._parent = parent
        self._started = False
        self._heard = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self._gone: asyncio.Future[WorkerEnded | None] = asyncio.get_running_loop().create_future()

    @property
    def running(self) -> bool:
        return not self._gone.done() and self._parent.running

    async def start(self, task: dict[str, Any], memory_mb: int) -> None:
        """Fork it, and tell it its task, which it reads once it is confined.

        Raises:
            ParentEnded: the parent is gone.
        """
        orders = await self._parent.orders(self.folder)
        self._started = True
        await self._parent.send("fork", self.number, {"orders": orders, "memory_mb": memory_mb})
        await self._parent.send("tell", self.number, {"task": task})

    async def ask(self, request: dict[str, Any], time_s: float) -> bytes:
        """The line that it answers with, as it came.

        Raises:
            TimeoutError: it answered nothing in time.
            WorkerEnded: it is gone.
            ParentEnded: so is its parent.
        """
        self._answer = asyncio.get_running_loop().create_future()
        self._heard.clear()
        if self._gone.done():
            self._tell_end()
        try:
            await self._parent.send("ask", self.number, request)
            return await asyncio.wait_for(self._answer, time_s)
        finally:
            self._answer = None

    async def end(self) -> None:
        """End it with all that it has started; when this returns it is gone.

        Raises:
            ParentEnded: the parent is gone, and it with it, or does not end it.
        """
        if not self._started:
            self._parent.forget(self)
        if self._gone.done() or not self._started:
            return
        await self._parent.send("end", self.number)
        try:
            await asyncio.wait_for(asyncio.shield(self._gone), GRACE_S)
        except TimeoutError:
            raise ParentEnded("it failed to end a worker") from None

    def hear(self, said: bytes, *, whole: bool) -> None:
        if self._answer is None or self._answer.done():
            return
        self._heard += said
        if len(self._heard) > LONGEST_ANSWER:
            self._answer.set_exception(WorkerEnded("flood"))
        elif whole:
            self._answer.set_result(bytes(self._heard))

    def ended(self, why: End, said: str) -> None:
        """The parent has seen its end."""
        if not self._gone.done():
            self._gone.set_result(WorkerEnded(why, said))
        self._tell_end()

    def lost(self) -> None:
        """Its parent is gone."""
        if not self._gone.done():
            self._gone.set_result(None)
        self._tell_end()

    def _tell_end(self) -> None:
        if self._answer is None or self._answer.done():
            return
        ended = self._gone.result()
        self._answer.set_exception(ended if ended is not None else ParentEnded(self._parent._last_words()))
