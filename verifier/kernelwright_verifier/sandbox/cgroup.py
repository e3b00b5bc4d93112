"""Control groups that bound a tree's memory and tasks, versions 1 and 2, where this user may make them.

Under version 2 a group with processes cannot hand controllers to groups below it, so the place is the
nearest ancestor that hands out memory and pids and may be written to: under systemd the user's own slice,
as root often any. Where there is none, `bounds.Watched` stands in.
"""

import contextlib
import itertools
import os
import re
import signal
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

_PREFIX = "kernelwright-"
_STALE_S = 60.0
_numbers = itertools.count(1)
_unremoved: list[Path] = []
_removing = threading.Lock()


@dataclass(frozen=True)
class _Place:
    """Below which folders of the control group file systems groups are made."""

    unified: bool
    memory: Path
    pids: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.memory,) if self.unified else (self.memory, self.pids)


class ControlGroup:
    """Implements `Bounds`."""

    look_s = 0.04

    def __init__(self, place: _Place, memory_bytes: int, tasks: int) -> None:
        """Make the groups.

        Raises:
            OSError: they cannot be made here.
        """
        name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
        self._unified = place.unified
        self._memory, self._pids = place.memory / name, place.pids / name
        self._folders = [folder / name for folder in place.folders]
        try:
            for folder in self._folders:
                folder.mkdir()
            if self._unified:
                (self._memory / "memory.max").write_text(str(memory_bytes))
                _write_if_there(self._memory / "memory.swap.max", "0")
                _write_if_there(self._memory / "memory.oom.group", "1")
            else:
                (self._memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
                _write_if_there(self._memory / "memory.memsw.limit_in_bytes", str(memory_bytes))
            (self._pids / "pids.max").write_text(str(tasks))
        except OSError:
            self.close()
            raise

    def hold(self, pid: int) -> None:
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def excess(self) -> Literal["memory", "processes"] | None:
        # Processes without number take memory without number: who was refused one and was then killed for memory did the former.
        if _counter(self._pids / "pids.events", "max"):
            return "processes"
        events = self._memory / ("memory.events" if self._unified else "memory.oom_control")
        return "memory" if _counter(events, "oom_kill") else None

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            if self._unified and (self._memory / "cgroup.kill").exists():
                (self._memory / "cgroup.kill").write_text("1")
                return
            (self._pids / "pids.max").write_text("0")  # from here on nothing new starts
            for pid in (self._pids / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)

    def close(self) -> None:
        _unremoved.extend(self._folders)
        _remove(_unremoved)


def open_group(memory_bytes: int, tasks: int) -> ControlGroup | None:
    """A new group; None where this user can make none."""
    place = _place()
    if place is None:
        return None
    try:
        return ControlGroup(place, memory_bytes, tasks)
    except OSError:
        return None


def describe() -> str:
    """Which control groups are used, for reports; "" where none can be made."""
    place = _place()
    return "" if place is None else "cgroup v2" if place.unified else "cgroup v1"


@cache
def _place() -> _Place | None:
    for place in _candidates():
        if all(os.access(folder, os.W_OK) for folder in place.folders) and _works(place):
            _sweep(place)
            return place
    return None


def _works(place: _Place) -> bool:
    """Whether a process can really be moved into a group made there."""
    try:
        group = ControlGroup(place, 64 << 20, 16)
    except OSError:
        return False
    reading, writing = os.pipe()
    pid = 0
    try:
        # Waits for the end of its input, which is ours to close.
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0)]
        pid = os.posix_spawn("/bin/sh", ["/bin/sh", "-c", "read -r line"], {}, file_actions=actions)
        group.hold(pid)
        return str(pid) in (group._pids / "cgroup.procs").read_text().split()
    except OSError:
        return False
    finally:
        os.close(reading)
        os.close(writing)
        if pid:
            os.waitpid(pid, 0)
        group.close()


def _candidates() -> list[_Place]:
    """Places by the files that the kernel shows of this process."""
    mounts: dict[str, tuple[Path, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, point = (_unescaped(field) for field in before.split(" ")[3:5])
        if kind == "cgroup2":
            mounts[""] = Path(point), root
        elif kind == "cgroup":
            mounts |= {
                option: (Path(point), root) for option in options.split(",") if option in ("memory", "pids")
            }
    own: dict[str, Path] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            if controller in mounts:
                mount, visible = mounts[controller]
                inside = os.path.relpath(path, visible)
                own[controller] = mount if inside.startswith("..") else mount / inside
    if "memory" in own and "pids" in own:
        return [_Place(False, own["memory"], own["pids"])]
    found = []
    if "" in own:
        for folder in (own[""], *own[""].parents):
            with contextlib.suppress(OSError):
                if {"memory", "pids"} <= set((folder / "cgroup.subtree_control").read_text().split()):
                    found.append(_Place(True, folder, folder))
            if folder == mounts[""][0]:
                break
    return found


def _sweep(place: _Place) -> None:
    """Remove the groups of servers that were killed, with what was being started in them: bubblewrap's own child waits for ever
    where its parent was killed before it had told it to go on."""
    for folder in place.folders:
        for group in folder.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError, ValueError):
                server = int(group.name.removeprefix(_PREFIX).partition("-")[0])
                old = time.time() - group.stat().st_mtime > _STALE_S
                if old and not Path(f"/proc/{server}").exists():
                    for pid in filter(_is_orphan, map(int, (group / "cgroup.procs").read_text().split())):
                        os.kill(pid, signal.SIGKILL)
                    group.rmdir()


def _is_orphan(pid: int) -> bool:
    """Whether nobody is left who started a process of ours; one of another namespace is shown as 0."""
    if pid <= 0:
        return False
    place = Path(f"/proc/{pid}")
    return (
        place.stat().st_uid == os.geteuid()
        and (place / "stat").read_text().rpartition(")")[2].split()[1] == "1"
    )


def _remove(folders: list[Path]) -> None:
    """Remove what can be removed; a group whose last process is still being taken down has its turn later."""
    with _removing:
        for folder in list(folders):
            try:
                folder.rmdir()
            except FileNotFoundError:
                folders.remove(folder)
            except OSError:
                continue
            else:
                folders.remove(folder)


def _counter(file: Path, name: str) -> int:
    try:
        found = re.search(rf"^{name} (\d+)$", file.read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) if found else 0


def _write_if_there(file: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        file.write_text(text)


def _unescaped(field: str) -> str:
    return re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), field)
