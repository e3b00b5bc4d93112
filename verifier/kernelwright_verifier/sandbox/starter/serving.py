"""Takes requests to start a program, and forks for each a child of the server that carries its orders out.

A request is one message on descriptor 0: the numbers that its descriptors are to have, a byte for each, and the descriptors. The
answer is the process id. The child is the server's own: it waits for it as for any other.
"""

# Importing pathlib and contextlib would cost more than all that is done here.
# ruff: noqa: SIM105
import fcntl
import os
import signal
import socket
import struct

from . import kernel, nobody, starting
from .supervision import UIDS_OF_LAUNCH

_FIRST_FREE = 16  # above every number that is placed
# Between what systemd gives to containers and what no system may use: nobody's.
_FIRST_UID, _LAUNCHES = 0x70000000, 1 << 20


def main() -> int:
    os.chdir("/")
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    server = socket.socket(fileno=0)
    launch = int.from_bytes(os.urandom(4), "big")
    next_identity: nobody.Identity | None = None
    while True:
        numbers, descriptors, _, _ = socket.recv_fds(server, 64, 64)
        if not numbers:
            return 0  # the server has ended
        identity = next_identity or _identity(launch)
        answer = _start(numbers, descriptors, identity)
        for descriptor in descriptors:
            os.close(descriptor)
        server.send(struct.pack("=i", answer))
        if identity is not None:
            identity.close()
        # Nobody waits for it yet.
        launch += 1
        next_identity = _identity(launch)


def _identity(launch: int) -> "nobody.Identity | None":
    """Who nobody is for this launch; None where the tool is not root's, or root cannot be made nobody."""
    if os.geteuid() != 0:
        return None
    try:
        return nobody.Identity(_FIRST_UID + launch % _LAUNCHES * UIDS_OF_LAUNCH)
    except nobody.Impossible:
        return None


def _start(numbers: bytes, descriptors: "list[int]", identity: "nobody.Identity | None") -> int:
    """Its process id; below 0: minus the number of an error."""
    apart, write_end = os.pipe()
    try:
        pid = kernel.clone(kernel.CLONE_PARENT | signal.SIGCHLD)
    except OSError as error:
        os.close(apart)
        os.close(write_end)
        return -(error.errno or 1)
    if pid == 0:
        try:
            os.setsid()
            held = None if identity is None else identity.namespace
            kept = _place(numbers, descriptors, held)  # closes `told` with all others
            if identity is not None and kept is not None:
                identity.namespace = kept
            starting.carry_out(identity)
        finally:
            os._exit(127)
    os.close(write_end)
    os.read(apart, 1)  # it leads a session and a group of its own from here on
    os.close(apart)
    return pid


def _place(numbers: bytes, descriptors: "list[int]", held: "int | None") -> "int | None":
    """Place the descriptors and close all others but `held`, whose new number is returned."""
    free = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _FIRST_FREE) for descriptor in descriptors]
    if held is not None:
        held = fcntl.fcntl(held, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    for number, descriptor in zip(numbers, free, strict=True):
        os.dup2(descriptor, number)
    last = max(numbers)
    for number in range(last):
        if number not in numbers:
            try:
                os.close(number)
            except OSError:
                pass
    if held is None:
        kernel.close_from(last + 1)
        return None
    os.dup2(held, last + 1, inheritable=False)
    kernel.close_from(last + 2)
    return last + 1
