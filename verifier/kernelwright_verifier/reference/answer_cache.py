"""What the reference said before, on disk, by content: descriptions, and trials with their tensors.

Workers write below `area`, each in a folder of its own, and nowhere else; the server never writes there. What it keeps it has
copied out (`take`) into folders where no sandbox can write, and checks by its digest before it is used again.
"""

import contextlib
import fcntl
import hashlib
import itertools
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright_backends.core.model import Model
from kernelwright_backends.storage.folders import remove_oldest
from kernelwright_backends.untrusted.handover import copy_out, discard

LIMIT_BYTES = 2 << 30
TENSORS = "trial.bin"
"""how a worker is told to call the file of its tensors, in its own folder"""
# A mapping is opened soon after it was handed out, and tensors are large: what is kept for longer than that counts fully.
_RECENT_S = 300.0
_SCRATCH = "scratch-"
# When an entry was last used need not be known better; to note it changes the file.
_NOTED_S = 60.0
_LONGEST_RECORD = 32 << 20
_CHUNK = 1 << 20


class _Header(Model):
    """The first line of a record; what was said follows."""

    size_bytes: int | None = None
    """of its tensors; None where it has none"""
    digest: str | None = None
    """SHA-256 of its tensors"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer that is kept."""

    content: bytes
    """what was said, in JSON"""
    tensors: Path | None
    size_bytes: int


class ReferenceCache:
    """A folder of answers. Entries appear whole or not at all; the longest unused go before a new one comes, so that all
    processes together keep to the limit, but for what was used within the last five minutes.

    All of it is this user's alone, whatever the umask.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        """
        Raises:
            OSError: the folder cannot be made or written.
        """
        self.folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        process = os.getpid()
        self.area = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{process}-", dir=folder))
        """below which workers write: nothing in it is read but through `handover`"""
        self._taken = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{process}-taken-", dir=folder))
        self._numbers = itertools.count()
        # Digests take their time, and files stay what they are as long as nobody has touched them.
        self._verified: dict[Path, tuple[int, ...]] = {}
        self._remove_abandoned()

    @staticmethod
    def key(*parts: Any) -> str:
        """Of everything that an answer depends on; plain data."""
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def load(self, key: str) -> Entry | None:
        """The stored answer; None where there is none, or one that is not what was stored."""
        record, tensors = self.folder / f"{key}.json", self.folder / f"{key}.bin"
        try:
            with _opened(record) as file:
                first, _, content = file.read(_LONGEST_RECORD).partition(b"\n")
                _note_use(file.fileno())
            header = _Header.model_validate_json(first)
            if header.size_bytes is None:
                return Entry(content, None, 0)
            if not self._is_whole(tensors, header):
                return None
        except (OSError, ValueError):
            return None
        return Entry(content, tensors, header.size_bytes)

    def scratch(self) -> Path:
        """A new folder for one worker."""
        return Path(tempfile.mkdtemp(dir=self.area))

    def take(self, scratch: Path, limit_bytes: int) -> Path:
        """A copy of the tensors that a worker has just written, in a file that nobody else has ever had open.

        Raises:
            FileNotFoundError: it has written none.
            HandoverError: what lies there is no such file.
            OSError: there is no room for it.
        """
        taken = self._taken / f"{next(self._numbers)}.bin"
        copy_out(scratch, TENSORS, taken, limit_bytes=limit_bytes, mode=0o400)
        return taken

    def store(self, key: str, content: bytes, taken: Path | None = None) -> Entry:
        """Keep an answer; its tensors, if it has any, are moved from where `take` has put them.

        Raises:
            OSError: the folder cannot be written.
        """
        header, added_bytes = _Header(), 0
        if taken is not None:
            with _opened(taken) as file:
                added_bytes, digest = _digest(file.fileno())
            header = _Header(size_bytes=added_bytes, digest=digest)
        tensors = self.folder / f"{key}.bin"
        record = self._taken / f"{next(self._numbers)}.json"
        descriptor = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as written:
            added_bytes += written.write(header.model_dump_json().encode() + b"\n" + content)
        with self._room_for(added_bytes):
            if taken is not None:
                _replace(taken, tensors)
            _replace(record, self.folder / f"{key}.json")
        if taken is None:
            return Entry(content, None, 0)
        self._verified[tensors] = _stamp(tensors.lstat())
        return Entry(content, tensors, header.size_bytes or 0)

    def forget(self, taken: Path) -> None:
        """Remove what was taken and not stored; what is stored stays."""
        if taken.parent == self._taken:
            taken.unlink(missing_ok=True)

    def close(self) -> None:
        for folder in (self.area, self._taken):
            _remove_folder(folder)

    def _is_whole(self, tensors: Path, header: _Header) -> bool:
        with _opened(tensors) as file:
            status = os.fstat(file.fileno())
            if status.st_size != header.size_bytes:
                return False
            noted = time.time() - status.st_mtime <= _NOTED_S
            if noted and self._verified.get(tensors) == _stamp(status):
                return True
            _note_use(file.fileno())
            stamp = _stamp(os.fstat(file.fileno()))
            if _digest(file.fileno()) != (header.size_bytes, header.digest):
                return False
            # As it was before it was looked at: what is changed meanwhile is looked at again.
            self._verified[tensors] = stamp
            return True

    @contextlib.contextmanager
    def _room_for(self, added_bytes: int) -> Iterator[None]:
        """Within, there is room for so much, and no other process stores anything.

        What lies here all processes count together, in one file: to look through the folder after each store would cost more
        than the store. Who removes entries need not count; at worst somebody looks too early.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self.folder / "stored", flags, 0o600), "a+b") as ledger:
            fcntl.flock(ledger, fcntl.LOCK_EX)
            ledger.seek(0)
            said = ledger.read(64)
            stored_bytes = int(said) if said.isdigit() and len(said) < 20 else self._limit_bytes
            if stored_bytes + added_bytes > self._limit_bytes:
                # Some more, so that the next store need not look again.
                within_bytes = self._limit_bytes - self._limit_bytes // 16 - added_bytes
                stored_bytes = remove_oldest(self.folder, within_bytes, recent_s=_RECENT_S, spared=_SCRATCH)
            yield
            ledger.truncate(0)
            ledger.write(b"%d" % (stored_bytes + added_bytes))

    def _remove_abandoned(self) -> None:
        """Folders of processes that are gone."""
        for folder in self.folder.glob(f"{_SCRATCH}*-*"):
            process = folder.name.split("-")[1]
            if process.isdecimal() and not Path("/proc", process).exists():
                _remove_folder(folder)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A file that an earlier process of this user left here.

    Raises:
        OSError: there is none, or it is a link, no regular file, or one that others may write.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise OSError(f"{path} was changed since an earlier run stored it")
        yield file


def _note_use(descriptor: int) -> None:
    if time.time() - os.fstat(descriptor).st_mtime > _NOTED_S:
        os.utime(descriptor)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    """What changes with a file's content."""
    return (status.st_mtime_ns, status.st_ino, status.st_size, status.st_ctime_ns)


def _digest(descriptor: int) -> tuple[int, str]:
    """(bytes, SHA-256) of a file, read and not mapped: it may become shorter meanwhile."""
    found, size_bytes = hashlib.sha256(), 0
    while chunk := os.pread(descriptor, _CHUNK, size_bytes):
        found.update(chunk)
        size_bytes += len(chunk)
    return size_bytes, found.hexdigest()


def _replace(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except IsADirectoryError:  # somebody else put it there
        _remove_folder(target)
        source.replace(target)


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        discard(folder)
