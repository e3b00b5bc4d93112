"""What a run may write: a bound on the bytes and the files of its writable folders, as long as it lasts.

Counted are the blocks that files occupy on the disk. A hole costs nothing: it occupies nothing, `handover` copies it as a hole,
and `Limits.file_mb` bounds each file with its holes. A file that has lost its name counts as long as a process of the run holds
it open or mapped. What lay there before the run does not count. Last, a run that went with its file system to the end of the
room there is ended, however it hides what it wrote.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_backends.storage import removal
from kernelwright_verifier.sandbox.usage import ProcessTree

_BLOCK_BYTES = 512
_DEEPEST = 100  # folders within each other; one descriptor is open for each
_LITTLE_SPACE = 0.02  # of a file system that is as good as full


class _Excess(Exception):
    """More than is allowed; the rest need not be counted."""


class Disk:
    """The bound of one run. Its methods take their time: they are for another thread than the event loop's."""

    def __init__(self, writable: Sequence[Path], limits: Limits) -> None:
        """Look at what is there already."""
        self._writable = list(writable)
        self._room_bytes = max(limits.disk_mb, limits.file_mb) << 20
        self._room_files = limits.disk_files
        before = _Count(1 << 62, 1 << 62)
        for path in self._writable:
            before.add(path)
        self._bytes, self._files = before.used_bytes + self._room_bytes, before.files + self._room_files
        self._free_bytes = {path: _free(path)[0] for path in self._writable}

    def exceeded(self, pid: int | None) -> bool:
        """Whether the run, whose first process is given as long as it lives, has written more than it may."""
        count = _Count(self._bytes, self._files)
        try:
            for path in self._writable:
                count.add(path)
            if pid is not None:
                count.used_bytes += _nameless(ProcessTree(pid).members(), count.devices)
                count.check()
        except _Excess:
            return True
        return any(self._fills(path) for path in self._writable)

    def _fills(self, path: Path) -> bool:
        free_bytes, all_bytes = _free(path)
        return (
            free_bytes < all_bytes * _LITTLE_SPACE and self._free_bytes[path] - free_bytes > self._room_bytes
        )


class _Count:
    """Bytes and files below some paths. No link is followed; what is shut is opened: it is ours."""

    def __init__(self, most_bytes: int, most_files: int) -> None:
        self._most_bytes, self._most_files = most_bytes, most_files
        self._seen: set[tuple[int, int]] = set()
        self.used_bytes = self.files = 0
        self.devices: set[int] = set()

    def add(self, path: Path) -> None:
        """Count what is below a path.

        Raises:
            _Excess: it is too much.
        """
        try:
            status = path.lstat()
        except OSError:
            return
        self.devices.add(status.st_dev)
        self._take(status)
        if not stat.S_ISDIR(status.st_mode):
            return
        above = os.open(path.parent, os.O_PATH | os.O_CLOEXEC)
        try:
            self._add_folder(path.name, above, 0)
        finally:
            os.close(above)

    def check(self) -> None:
        if self.used_bytes > self._most_bytes or self.files > self._most_files:
            raise _Excess

    def _take(self, status: os.stat_result) -> None:
        self.files += 1
        identity = (status.st_dev, status.st_ino)
        if status.st_nlink == 1 or stat.S_ISDIR(status.st_mode) or identity not in self._seen:
            self.used_bytes += status.st_blocks * _BLOCK_BYTES
            self._seen.add(identity)
        self.check()

    def _add_folder(self, name: str, above: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise _Excess
        here = removal.entered(name, above)
        if here is None:
            return
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:  # gone meanwhile
                        continue
                    self._take(status)
                    if stat.S_ISDIR(status.st_mode):
                        self._add_folder(entry.name, here, depth + 1)
        finally:
            os.close(here)


def _free(path: Path) -> tuple[int, int]:
    """(free, all) bytes of the file system that the path is in, or will be."""
    try:
        status = os.statvfs(path if path.exists() else path.parent)
    except OSError:
        return 1, 1
    return status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize


def _nameless(pids: Iterable[int], devices: set[int]) -> int:
    """Bytes of files that have lost their names and that these processes hold: what they occupy, of mapped ones what is mapped."""
    held: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            with os.scandir(f"/proc/{pid}/fd") as entries:
                names = [entry.name for entry in entries]
            mapped = Path(f"/proc/{pid}/maps").read_bytes()
        except OSError:
            continue
        for name in names:
            try:
                status = Path(f"/proc/{pid}/fd/{name}").stat()
            except OSError:
                continue
            if status.st_nlink == 0 and stat.S_ISREG(status.st_mode) and status.st_dev in devices:
                held[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK_BYTES
        for line in mapped.splitlines():
            if line.endswith(b"(deleted)"):
                extent, _, _, device, inode, _ = line.split(None, 5)
                start, end = (int(word, 16) for word in extent.split(b"-"))
                major, minor = (int(word, 16) for word in device.split(b":"))
                identity = (os.makedev(major, minor), int(inode))
                if identity[0] in devices:
                    held[identity] = max(held.get(identity, 0), end - start)
    return sum(held.values())
