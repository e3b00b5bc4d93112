"""Takes requests to start a program, and forks for each a child of the server that carries its orders out.

A request is one message on descriptor 0: the numbers that its descriptors are to have, a byte for each, and the descriptors. The
answer is the process id. The child is the server's own: it waits for it as for any other.
"""

# Importing pathlib and contextlib would cost more than all that is done here.
import fcntl
import os
import signal
import socket
import struct

from . import kernel, starting
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
    while True:
        numbers, descriptors, _, _ = socket.recv_fds(server, 64, 64)
        if not numbers:
            return 0  # the server has ended
        launch += 1
        uid = _FIRST_UID + launch % _LAUNCHES * UIDS_OF_LAUNCH
        answer = _start(numbers, descriptors, uid)
        for descriptor in descriptors:
            os.close(descriptor)
        server.send(struct.pack("=i", answer))


def _start(numbers: bytes, descriptors: "list[int]", uid: int) -> int:
    """Its process id; below 0: minus the number of an error."""
    apart, told = os.pipe()
    try:
        pid = kernel.clone(kernel.CLONE_PARENT | signal.SIGCHLD)
    except OSError as error:
        os.close(apart)
        os.close(told)
        return -(error.errno or 1)
    if pid == 0:
        try:
            os.setsid()
            _place(numbers, descriptors)  # closes `told` with all others
            starting.carry_out(uid)
        finally:
            os._exit(127)
    os.close(told)
    os.read(apart, 1)  # it leads a session and a group of its own from here on
    os.close(apart)
    return pid


def _place(numbers: bytes, descriptors: "list[int]") -> None:
    free = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _FIRST_FREE) for descriptor in descriptors]
    for number in range(max(numbers)):
        if number not in numbers:
            os.dup2(free[0], number)
            os.set_inheritable(number, False)
    for number, descriptor in zip(numbers, free, strict=True):
        os.dup2(descriptor, number)
    for number in range(max(numbers)):
        if number not in numbers:
            os.close(number)
    kernel.close_from(max(numbers) + 1)
