"""Forked processes that know one task each."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .faults import TaskFault, fault_of
from .pipes import REPLY_DESCRIPTOR, die_with_parent, write_all
from .process import TaskProcess


def used_memory() -> int:
    """Bytes of data that this process has mapped, which its children begin with."""
    with Path("/proc/self/status").open() as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


def child_main(receive: int, send: int, task: dict[str, Any], memory_bytes: int, parent: int) -> None:
    """Serve requests for one task until the pipe closes. Never returns."""
    try:
        os.setpgid(0, 0)
        die_with_parent(parent)
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes,) * 2)
        worker: TaskProcess | None = None
        fault: TaskFault | None = None
        try:
            worker = TaskProcess(task)
        except TaskFault as error:
            fault = error
        with os.fdopen(receive, "rb") as requests:
            for line in requests:
                request = json.loads(line)
                try:
                    if worker is None:
                        assert fault is not None
                        raise fault
                    reply = {"result": worker.answer(request)}
                except TaskFault as error:
                    reply = {"error": error.as_data()}
                except BaseException as error:  # whatever a task's code throws, SystemExit too
                    reply = {"error": fault_of(task["path"], error, "the task").as_data()}
                write_all(send, json.dumps(reply).encode() + b"\n")
    finally:
        os._exit(0)


class Child:
    """One forked process that knows one task; seen from the parent."""

    def __init__(self, task: dict[str, Any], memory_mb: int, inherited: Sequence[int]) -> None:
        child_receive, self.send = os.pipe()
        self.receive, child_send = os.pipe()
        self.busy: int | None = None
        self.deadline = math.inf
        self.limit_s = math.inf
        self.data = b""
        # Asked before the fork: under Landlock a child may not look at its own entry in /proc.
        memory_bytes = used_memory() + (memory_mb << 20)
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            for descriptor in (*inherited, self.send, self.receive, REPLY_DESCRIPTOR):
                with contextlib.suppress(OSError):
                    os.close(descriptor)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            child_main(child_receive, child_send, task, memory_bytes, parent)
        os.close(child_receive)
        os.close(child_send)

    def close(self) -> None:
        for descriptor in (self.send, self.receive):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)
