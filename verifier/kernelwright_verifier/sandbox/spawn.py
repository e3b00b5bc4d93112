"""Starting the first process of a tree with exactly the descriptors it is to have.

`posix_spawn` instead of `subprocess`: descriptor 3 can be placed, nothing else of ours is inherited, and
its cost does not grow with the server's memory, as that of fork with a preexec function does (which is
not safe beside threads either).
"""

import contextlib
import fcntl
import os
import resource
import signal
from collections.abc import Mapping
from pathlib import Path

from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_verifier.sandbox import usage

_PRIORITY = 10  # of children, in niceness: the editor goes first
_OPEN_FILES = 4096
_SPARE_TASKS = 256  # of the same user, that others may start later
_FIRST_FREE = 16  # above every descriptor that is placed


def pipe() -> tuple[int, int]:
    """A pipe (reading end, writing end) whose numbers collide with none that are placed in a child."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


def memory_file(content: bytes) -> int:
    """A descriptor from which `content` can be read once.

    Raises:
        OSError: there is no room for it.
    """
    first = os.memfd_create("kernelwright", os.MFD_CLOEXEC)
    try:
        left = memoryview(content)
        while (
            left
        ):  # a limit on files holds for this one, too: then so much is written, and the next is an error
            left = left[os.write(first, left) :]
        os.lseek(first, 0, os.SEEK_SET)
        return fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    finally:
        os.close(first)


def spawn(argv: list[str], descriptors: Mapping[int, int]) -> int:
    """Start a program in a session of its own, with an empty environment and no other descriptors.

    Args:
        descriptors: the child's descriptor -> ours. Descriptor 0 is /dev/null where it is not named.

    Returns:
        Its process id.
    """
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = []
    if 0 not in descriptors:
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    actions += [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in descriptors.items()]
    actions += [(os.POSIX_SPAWN_CLOSE, number) for number in _inherited() if number not in descriptors]
    return os.posix_spawn(
        argv[0],
        argv,
        {},
        file_actions=actions,
        setsid=True,
        setsigmask=(),
        setsigdef=sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}),
    )


def restrict(pid: int, limits: Limits, *, lifetime: bool, tasks: bool) -> None:
    """Set the limits of a process that has no children yet; they are inherited by all that it starts.

    With `lifetime`, processor time is bounded as well, in case nobody is left to stop the clock. With
    `tasks`, so is the number of an ordinary user's processes.
    """
    niceness = min(19, os.getpriority(os.PRIO_PROCESS, 0) + _PRIORITY)
    os.setpriority(os.PRIO_PROCESS, pid, niceness)
    # Where the kernel groups tasks by session, niceness counts within a session alone, and this is a new one.
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness))
    _lower(pid, resource.RLIMIT_CORE, 0)
    _lower(pid, resource.RLIMIT_FSIZE, limits.file_mb << 20)
    _lower(pid, resource.RLIMIT_NOFILE, _OPEN_FILES)
    if tasks and os.getuid() != 0:
        # The kernel counts all processes of a user together, and those of the superuser never: a last
        # resort that keeps a fork bomb small until it is seen.
        _lower(pid, resource.RLIMIT_NPROC, usage.tasks_of_machine() + limits.processes + _SPARE_TASKS)
    if lifetime:
        _lower(pid, resource.RLIMIT_CPU, int(limits.time_s * (os.cpu_count() or 1)) + 10)


def _lower(pid: int, kind: int, value: int) -> None:
    hard = resource.prlimit(pid, kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.prlimit(pid, kind, (value, value))


def _inherited() -> list[int]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        number = int(entry.name)
        with contextlib.suppress(OSError):  # the descriptor of the listing itself is gone
            if number > 2 and os.get_inheritable(number):
                found.append(number)
    return found
