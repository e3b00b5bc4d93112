"""What a tree of processes uses, read from /proc: where no control group can be made."""

import contextlib
import os
import random
from pathlib import Path

_PROC = "/proc"
_FORGET_AFTER = 40  # looks; a foreign process id may have been given to somebody new since
_GENERATIONS = 64


class ProcessTree:
    """The descendants of a process, whatever sessions and groups they are in.

    Orphans stay in the tree because its root adopts them: as the first of a process namespace, or as a
    subreaper.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._foreign: set[int] = set()
        self._looks = 0

    def members(self) -> list[int]:
        """Process ids, the root first."""
        self._looks += 1
        if self._looks % _FORGET_AFTER == 0:
            self._foreign.clear()
        parents: dict[int, int] = {}
        for pid in _process_ids():
            if pid not in self._foreign:
                parent = _parent(pid)
                if parent is not None:
                    parents[pid] = parent
        children: dict[int, list[int]] = {}
        for pid, parent in parents.items():
            children.setdefault(parent, []).append(pid)
        found = [self._root]
        for pid in found:
            found += children.get(pid, ())
        self._foreign.update(parents.keys() - set(found))
        return found

    def usage(self) -> tuple[int, int]:
        """(bytes of memory of its own, number of threads). Pages shared after a fork count for both sides."""
        memory = tasks = 0
        for pid in self.members():
            with contextlib.suppress(OSError, ValueError):
                status = _fields(pid)
                memory += (
                    int(status.get("RssAnon", "0 kB").split()[0])
                    + int(status.get("RssShmem", "0 kB").split()[0])
                ) << 10
                tasks += int(status.get("Threads", "1"))
        return memory, tasks

    def estimated_size(self, sample: int) -> int:
        """About how many processes descend from the root, judged by a sample, however large the tree is."""
        pids = _process_ids()
        drawn = random.sample(pids, min(sample, len(pids)))
        return sum(map(self._descends, drawn)) * len(pids) // len(drawn)

    def _descends(self, pid: int) -> bool:
        for _ in range(_GENERATIONS):
            if pid == self._root:
                return True
            parent = _parent(pid)
            if not parent:
                return False
            pid = parent
        return True  # no legitimate process has so many ancestors


def tasks_of_machine() -> int:
    """How many threads all processes of the machine have; one short read, however many there are."""
    return int(Path(f"{_PROC}/loadavg").read_text().split()[3].partition("/")[2])


def _process_ids() -> list[int]:
    return [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]


def _parent(pid: int) -> int | None:
    try:
        stat = Path(f"{_PROC}/{pid}/stat").read_bytes()
    except OSError:
        return None
    return int(stat[stat.rindex(b")") + 2 :].split()[1])


def _fields(pid: int) -> dict[str, str]:
    text = Path(f"{_PROC}/{pid}/status").read_text(errors="replace")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
