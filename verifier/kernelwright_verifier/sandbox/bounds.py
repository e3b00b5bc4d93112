"""Memory and process limits over a whole tree: by control groups where possible, else by looking often."""

import os
import time
from typing import Literal, Protocol

from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_verifier.sandbox import cgroup, usage
from kernelwright_verifier.sandbox.usage import ProcessTree

Excess = Literal["memory", "processes"]

SPARE_TASKS = 64  # that the excess may be seen before the kernel refuses more
_TREE_LOOK_S = 0.04
_LEAP = 64  # threads that others may start meanwhile without making us look closer
_SAMPLE = 32


class Bounds(Protocol):
    """The limits of one tree."""

    look_s: float
    """How long to wait between two questions for an excess."""

    def hold(self, pid: int) -> None:
        """Take this process, which has no children yet, and all that it will start under the limits."""
        ...

    def excess(self) -> Excess | None:
        """Which limit the tree went beyond, if any."""
        ...

    def kill(self) -> None:
        """Kill the tree, where these bounds have a handle on it."""
        ...

    def close(self) -> None:
        """Forget the tree, which is gone."""
        ...


class Watched:
    """Looks at /proc. What grows fast goes beyond by what it takes between two looks.

    A fork bomb would soon starve whoever looks for it. So the number of threads on the machine, one short read,
    is looked at more often, and where it leaps, a sample of all processes says how many are of the tree.
    """

    look_s = 0.01

    def __init__(self, limits: Limits) -> None:
        self._memory = limits.memory_mb << 20
        self._tasks = task_limit(limits)
        self._tree: ProcessTree | None = None
        self._calm = usage.tasks_of_machine()
        self._next = 0.0

    def hold(self, pid: int) -> None:
        self._tree = ProcessTree(pid)

    def excess(self) -> Excess | None:
        if self._tree is None:
            return None
        leap = usage.tasks_of_machine() - self._calm
        if leap > self._tasks + _LEAP and self._tree.estimated_size(_SAMPLE) > self._tasks:
            return "processes"
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + _TREE_LOOK_S
        memory, tasks = self._tree.usage()
        # Processes without number take memory without number.
        if tasks > self._tasks:
            return "processes"
        return "memory" if memory > self._memory else None

    def kill(self) -> None:
        """Nothing beyond what the sandbox does: there is no other handle on the tree."""

    def close(self) -> None:
        self._tree = None


def task_limit(limits: Limits) -> int:
    """Processes and threads allowed: machines with many cores start more threads in legitimate programs."""
    return max(limits.processes, 4 * (os.cpu_count() or 1))


def open_bounds(limits: Limits) -> Bounds:
    """Limits for one tree, by the best means that this machine offers to this user."""
    return cgroup.open_group(limits.memory_mb << 20, task_limit(limits)) or Watched(limits)
