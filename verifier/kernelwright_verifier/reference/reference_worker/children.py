"""Forked processes that know one task each, and are confined before they do."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .confining import Nursery, confine
from .faults import TaskFault, fault_of
from .pipes import die_with_parent, write_all
from .process import TaskProcess

_REQUESTS, _REPLIES, _FIRST_OTHER = 3, 4, 5
_MOST_DESCRIPTORS = 1 << 20
_FREE = 64  # above every descriptor that is placed


def used_memory() -> int:
    """Bytes of data that this process has mapped, which its children begin with."""
    with Path("/proc/self/status").open() as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


def be_worker(orders: dict[str, Any], apart: bool, uid: int | None, memory_bytes: int, parent: int) -> None:
    """Confine this process, say so by an empty line, or why not by one that is not; then serve the task that the first line brings
    until there are no more."""
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes,) * 2)
        os.umask(0o077)
        confine(orders, apart, uid)
        os.chdir(orders["folder"])
    except Exception as error:
        write_all(_REPLIES, " ".join(str(error).split()).encode() + b"\n")
        return
    os.environ.update(HOME=orders["folder"], TMPDIR=orders["folder"])
    tempfile.tempdir = None
    die_with_parent(parent)
    write_all(_REPLIES, b"\n")
    with os.fdopen(_REQUESTS, "rb") as requests:
        serve(json.loads(requests.readline())["task"], requests)


def serve(task: dict[str, Any], requests: Any) -> None:
    worker: TaskProcess | None = None
    fault: TaskFault | None = None
    try:
        worker = TaskProcess(task)
    except TaskFault as error:
        fault = error
    for line in requests:
        try:
            if worker is None:
                assert fault is not None
                raise fault
            reply = {"result": worker.answer(json.loads(line))}
        except TaskFault as error:
            reply = {"error": error.as_data()}
        except BaseException as error:  # whatever a task's code throws, SystemExit too
            reply = {"error": fault_of(task["path"], error, "the task").as_data()}
        write_all(_REPLIES, json.dumps(reply).encode() + b"\n")


class Child:
    """One forked worker; seen from the parent."""

    def __init__(
        self,
        number: int,
        orders: dict[str, Any],
        memory_mb: int,
        nursery: Nursery,
        uid: int | None,
        wipe: Callable[[], None],
    ) -> None:
        """
        Args:
            orders: how it is to confine itself.
            uid: to be its own, where it confines itself so.
            wipe: forgets in the fork what the parent knows of others.
        """
        self.number = number
        self.confined = False
        self.asked = False
        self.heard_bytes = 0
        self.pending: list[tuple[bytearray, int]] = []
        requests, self.send = os.pipe()
        self.receive, replies = os.pipe()
        # Asked before the fork: there a child may not look at its own entry in /proc.
        memory_bytes = used_memory() + (memory_mb << 20)
        parent = os.getpid()
        self.pid, apart = nursery.fork(orders)
        if self.pid == 0:
            try:
                wipe()
                place_descriptors(requests, replies)
                be_worker(orders, apart, uid, memory_bytes, parent)
            finally:
                os._exit(0)
        os.close(requests)
        os.close(replies)
        os.set_blocking(self.send, False)
        os.set_blocking(self.receive, False)
        self.process = os.pidfd_open(self.pid)

    def close(self) -> None:
        """End it and all that it has started; when this returns it is gone."""
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)
        for descriptor in (self.send, self.receive, self.process):
            with contextlib.suppress(OSError):
                os.close(descriptor)


def place_descriptors(requests: int, replies: int) -> None:
    """Leave this process its two pipes and nothing else."""
    nothing = os.open(os.devnull, os.O_RDWR)
    placed = [fcntl.fcntl(number, fcntl.F_DUPFD, _FREE) for number in (nothing, requests, replies)]
    for number, source in enumerate((*[placed[0]] * 3, *placed[1:])):
        os.dup2(source, number)
    os.closerange(_FIRST_OTHER, _MOST_DESCRIPTORS)
