"""One confined process tree, from its launch to the moment when nothing of it is left."""

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from kernelwright_backends.interfaces.confinement import ConfinementError, Limits
from kernelwright_backends.storage import removal
from kernelwright_verifier.sandbox import spawn, starting, warden
from kernelwright_verifier.sandbox.bounds import Bounds
from kernelwright_verifier.sandbox.disk import Disk
from kernelwright_verifier.sandbox.launch import FILTER, GATE, STATUS, Launch
from kernelwright_verifier.sandbox.streams import Reader, Writer

Ending = Literal["exit", "time", "memory", "output", "processes", "disk", "cancelled"]

_DISK_LOOK_S = 0.25  # between two looks at what it has written, or ten times as long as a look takes
_IDLE_LOOK_S = 0.5  # between two looks at the limits of a tree that waits to be asked
_GRACE_S = 5.0  # for pipes to reach their end once the tree must be gone
_CLEANING_S = 60.0  # for a first program that kills its tree itself and removes the files it left
_SIGNALLED = 128


class Tree:
    """A running tree. Whoever makes one awaits `gone`, whatever happens."""

    def __init__(
        self,
        launch: Launch,
        limits: Limits,
        make_bounds: Callable[[], Bounds],
        takers: Mapping[int, Callable[[bytes], None]],
        *,
        deadline: bool,
        writable: Sequence[Path] = (),
    ) -> None:
        """Start it.

        Args:
            make_bounds: makes the limits of the tree; called in another thread, since the kernel takes its time.
            takers: what to do with what arrives on the child's descriptors 1, 2 and 3.
            deadline: end it after `limits.time_s`.
            writable: where it may write, within `limits.disk_mb` and `limits.disk_files`.

        Raises:
            ConfinementError: the first program could not be started.
        """
        self._launch, self._limits, self._make_bounds = launch, limits, make_bounds
        self._bounds: Bounds | None = None
        self._deadline = deadline
        self._writable = [*writable, *([launch.scratch] if launch.scratch is not None else [])]
        self._disk: Disk | None = None
        self._loop = asyncio.get_running_loop()
        self.ended_by: Ending = "exit"
        self.busy = True
        self._started = time.monotonic()
        ours, theirs = _pipes(launch, takers)
        try:
            self._pid = starting.start(theirs) if launch.argv is None else spawn.spawn(launch.argv, theirs)
        except OSError as error:
            for end in ours.values():
                os.close(end)
            first = launch.argv[0] if launch.argv else "the sandbox"
            raise ConfinementError(f"{first} could not be started: {error.strerror}") from error
        finally:
            for end in theirs.values():
                os.close(end)
        self._process = os.pidfd_open(self._pid)
        self._last: int | None = None  # pidfd of the process whose end is the end of all others
        self._said: dict[str, Any] = {}
        self._status = bytearray()
        self.stdin = Writer(ours[0])
        self._gate = Writer(ours[GATE])
        self._readers = [Reader(ours[descriptor], take) for descriptor, take in takers.items()]
        self._readers.append(Reader(ours[STATUS], self._hear))
        self._exited: asyncio.Future[int] = self._loop.create_future()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        if deadline:
            self._timers["time"] = self._loop.call_later(limits.time_s, self.end, "time")
        self._over = self._loop.create_task(self._finish())

    def end(self, reason: Ending) -> None:
        """Kill the whole tree. The first reason stands."""
        if self._exited.done() or self.ended_by != "exit":
            return
        self.ended_by = reason
        if self._launch.ends_with_gate:
            # Whoever left the group is found by the first program, which must outlive the others for that.
            self._kill_group()
            self._gate.close()
            self._timers["grace"] = self._loop.call_later(_CLEANING_S, self._kill)
        else:
            self._kill()

    @property
    def weakness(self) -> str:
        """Why root's program runs as root; "" where it does not."""
        because = self._said.get("because")
        return (
            f"programs started by root keep its user id, without its capabilities: {because}"
            if because
            else ""
        )

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._started

    async def gone(self) -> int:
        """Wait until no process of the tree is left.

        If the task that waits here is cancelled, the tree is killed, and only then the cancellation goes on.

        Returns:
            The exit status of the confined program; negative: the signal that ended it.

        Raises:
            ConfinementError: the sandbox could not be set up.
        """
        try:
            return await asyncio.shield(self._over)
        except asyncio.CancelledError:
            self.end("cancelled")
            while not self._over.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([self._over])
            if not self._over.cancelled():
                self._over.exception()
            raise

    async def _begin(self) -> None:
        """Bound it, and let it go: until then its first program waits."""
        try:
            if not self._launch.ends_with_gate:
                warden.guard(self._pid)
            spawn.restrict(
                self._pid, self._limits, lifetime=self._deadline, tasks=not self._launch.counts_tasks
            )
            self._bounds, self._disk = await asyncio.to_thread(self._bounded)
        except OSError as error:
            if self.ended_by == "exit":
                self._said["error"] = f"its limits could not be set ({error.strerror})"
            self._kill()
            return
        if self.ended_by == "exit":
            self._gate.write(self._launch.gate)
            if not self._launch.ends_with_gate:
                self._gate.finish()
        self._look()
        self._look_at_disk()

    def _bounded(self) -> tuple[Bounds, Disk | None]:
        disk = Disk(self._writable, self._limits) if self._writable else None
        return _held(self._make_bounds, self._pid), disk

    async def _finish(self) -> int:
        try:
            await self._begin()
            # Not before: its number must stay its own as long as it is given to the kernel.
            self._loop.add_reader(self._process, self._reap)
            status = await self._exited
            if self._launch.ends_with_gate and "status" not in self._said and self.ended_by == "exit":
                # Its first program was itself taken down and could not end the others.
                self._kill_group()
                self._kill_bounded()
            if self._last is not None:
                await self._wait_for(self._last)
            await asyncio.wait([reader.ended for reader in self._readers], timeout=_GRACE_S)
            scratch = self._launch.scratch
            if scratch is not None and scratch.exists():  # its first program was taken down before it could
                await asyncio.to_thread(removal.remove, scratch)
            excess = self._bounds.excess() if self._bounds is not None else None
            if excess is not None and self.ended_by == "exit":
                self.ended_by = excess
            if self._disk is not None and self.ended_by == "exit":
                wrote_too_much = await asyncio.to_thread(self._disk.exceeded, None)
                self.ended_by = "disk" if wrote_too_much else "exit"
            return self._verdict(status)
        finally:
            self._release()

    def _verdict(self, status: int) -> int:
        if self.ended_by != "exit":
            return -signal.SIGKILL
        if "error" in self._said:
            raise ConfinementError(f"the sandbox could not be set up: {self._said['error']}")
        if "status" in self._said:
            return int(self._said["status"])
        code = self._said.get("exit-code")
        if code is None:
            if status < 0:
                return status
            raise ConfinementError("the sandbox could not be set up")
        # bubblewrap, like a shell, adds 128 to the number of a signal.
        return _SIGNALLED - code if _SIGNALLED < code <= _SIGNALLED + signal.SIGRTMAX else int(code)

    def _release(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        for reader in self._readers:
            reader.close()
        self.stdin.close()
        self._gate.close()
        for descriptor in (self._process, self._last):
            if descriptor is not None:
                os.close(descriptor)
        warden.release(self._pid)
        if self._bounds is not None:
            try:
                self._loop.run_in_executor(None, self._bounds.close)
            except RuntimeError:  # the loop is being closed
                self._bounds.close()

    async def _wait_for(self, process: int) -> None:
        ended = asyncio.Event()
        self._loop.add_reader(process, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), _GRACE_S)
        except TimeoutError:
            self._kill()
        finally:
            self._loop.remove_reader(process)

    def _kill(self) -> None:
        # The first program and what it has started so far are still one group, even where nothing was heard of it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        if self._last is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._last, signal.SIGKILL)
        self._kill_group()
        self._kill_bounded()

    def _kill_bounded(self) -> None:
        if self._bounds is not None:
            self._bounds.kill()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, KeyError):
            os.killpg(self._said["group"], signal.SIGKILL)

    def _look(self) -> None:
        if self._bounds is None or self._exited.done():
            return
        excess = self._bounds.excess()
        if excess is not None:
            self.end(excess)
        else:
            self._timers["look"] = self._loop.call_later(
                self._bounds.look_s if self.busy else _IDLE_LOOK_S, self._look
            )

    def _look_at_disk(self) -> None:
        """In another thread, one look at a time."""
        if self._disk is None or self._exited.done() or self.ended_by != "exit":
            return
        began = time.monotonic()
        look = self._loop.run_in_executor(None, self._disk.exceeded, self._pid)

        def looked(done: "asyncio.Future[bool]") -> None:
            if done.cancelled() or done.exception() is not None or self._exited.done():
                return
            if done.result():
                self.end("disk")
                return
            pause_s = _DISK_LOOK_S if self.busy else 4 * _DISK_LOOK_S
            pause_s = max(pause_s, 10 * (time.monotonic() - began))
            self._timers["disk"] = self._loop.call_later(pause_s, self._look_at_disk)

        look.add_done_callback(looked)

    def _reap(self) -> None:
        self._loop.remove_reader(self._process)
        # Its end is the end of its group. Killed itself while it sets up, bubblewrap would leave a child that waits for it for
        # ever; as long as it is not reaped its number is its own.
        with contextlib.suppress(OSError):
            os.killpg(self._pid, signal.SIGKILL)
        try:
            _, status = os.waitpid(self._pid, 0)
            code = os.waitstatus_to_exitcode(status)
        except ChildProcessError:  # somebody else in this process waits for any child
            code = 0
        self._exited.set_result(code)

    def _hear(self, data: bytes) -> None:
        self._status += data
        *lines, rest = self._status.split(b"\n")
        with contextlib.suppress(ValueError):
            lines.append(bytearray(json.dumps(json.loads(rest)).encode()))  # the last has no end of line
            rest = bytearray()
        self._status = rest
        for line in filter(None, lines):
            self._said |= json.loads(line)
        child = self._said.get("child-pid")
        if child is not None and self._last is None:
            with contextlib.suppress(ProcessLookupError):
                self._last = os.pidfd_open(child)


def _held(make_bounds: Callable[[], Bounds], pid: int) -> Bounds:
    bounds = make_bounds()
    try:
        bounds.hold(pid)
    except OSError:
        bounds.close()
        raise
    return bounds


def _pipes(launch: Launch, takers: Mapping[int, object]) -> tuple[dict[int, int], dict[int, int]]:
    """(our ends, the child's ends) by the child's descriptor."""
    ours: dict[int, int] = {}
    theirs: dict[int, int] = {}
    for descriptor in (0, GATE):
        theirs[descriptor], ours[descriptor] = spawn.pipe()
    for descriptor in (*takers, STATUS):
        ours[descriptor], theirs[descriptor] = spawn.pipe()
    if launch.filter is not None:
        theirs[FILTER] = spawn.memory_file(launch.filter)
    return ours, theirs
