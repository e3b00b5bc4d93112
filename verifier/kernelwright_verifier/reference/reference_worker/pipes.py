"""Between parent and child: whole writes, no orphans."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import time
from collections.abc import Callable
from typing import Any

REPLY_DESCRIPTOR = 3


def in_fork(work: Callable[[], dict[str, Any]], wall_s: float) -> dict[str, Any] | None:
    """The result of `work` done in a fork of this process, None where it took too long or died."""
    receive, send = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            os.close(receive)
            die_with_parent(parent)
            write_all(send, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(send)
    try:
        data, deadline = b"", time.monotonic() + wall_s
        with selectors.DefaultSelector() as selector:
            selector.register(receive, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                chunk = os.read(receive, 1 << 16)
                if not chunk:
                    return json.loads(data) if data else None
                data += chunk
        return None
    finally:
        os.close(receive)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def die_with_parent(parent: int) -> None:
    """Be killed when `parent` ends, also if it ended before this could be said."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() not in (parent, 0):  # 0: it lies outside of this process namespace
        os._exit(0)
