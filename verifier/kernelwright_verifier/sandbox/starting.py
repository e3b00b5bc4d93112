"""Asks the starter, one trusted process for the whole server, to start the first program of a tree.

A fork of it costs a tenth of a new interpreter, and unlike a fork of the server it is safe and small. What it starts is the
server's own child.
"""

import marshal
import os
import socket
import struct
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright_backends.storage import removal
from kernelwright_verifier.sandbox import spawn

_PROGRAM = Path(__file__).with_name("starter") / "__main__.py"
_ANSWER_S = 60.0  # of a machine that is busy with other work
_lock = threading.Lock()
_starter: socket.socket | None = None
_owner = 0


def orders(values: Mapping[str, Any]) -> bytes:
    """What is to be written to a started program's gate."""
    text = marshal.dumps(dict(values))
    return len(text).to_bytes(8, "big") + text


def start(descriptors: Mapping[int, int]) -> int:
    """Start a program that waits for its orders at its gate.

    Args:
        descriptors: the child's descriptor -> ours.

    Returns:
        Its process id; it is a child of this process.

    Raises:
        OSError: it could not be started.
    """
    numbers = sorted(descriptors)
    with _lock:
        for attempt in (1, 2):
            starter = _running()
            try:
                socket.send_fds(starter, [bytes(numbers)], [descriptors[number] for number in numbers])
                answer = starter.recv(4)
            except OSError:
                answer = b""
            if len(answer) == 4:
                break
            _forget()  # somebody ended it: there is to be another
            if attempt == 2:
                raise OSError(0, "the process that starts sandboxes does not respond")
    pid = int(struct.unpack("=i", answer)[0])
    if pid < 0:
        raise OSError(-pid, os.strerror(-pid))
    return pid


def _running() -> socket.socket:
    global _starter, _owner
    if _starter is not None and _owner != os.getpid():
        _forget()  # the starter of the process that we were forked from
    if _starter is None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, Path(os.devnull).open("wb") as nowhere:
            argv = [sys.executable, "-I", "-S", str(_PROGRAM), str(Path(removal.__file__).parent)]
            placed = {0: theirs.fileno(), 1: nowhere.fileno(), 2: nowhere.fileno()}
            spawn.spawn(argv, placed)
        ours.settimeout(_ANSWER_S)
        _starter, _owner = ours, os.getpid()
    return _starter


def _forget() -> None:
    global _starter
    if _starter is not None:
        _starter.close()
        _starter = None
