"""Verdicts on disk, keyed by content: shared between editor and command line, and between any number of processes.

An entry is one file, `KEY.json`, that appears whole or not at all. What is read is trusted only as far as it can be held to:
a regular file of this user that nobody else may write, with the seal of this user's key, whose digest is that of its content
and whose key is that of its inputs. Everything else is put away and the candidate verified again. A cache that cannot be written is no cache, and no error.
"""

import contextlib
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kernelwright_backends.storage.folders import cache_folder, read_own
from kernelwright_backends.storage.sealing import sealed, unsealed
from kernelwright_verifier.results.fingerprint import VerdictInputs
from kernelwright_verifier.results.record import Record, RecordError
from kernelwright_verifier.results.verdict import Verdict

_LOG = logging.getLogger(__name__)

DEFAULT_LIMIT_MB = 256
_LARGEST_BYTES = 8 << 20
_PURPOSE = "verdict"
_ABANDONED_S = 3600.0
# How often, in stores, the whole folder is measured.
_MEASURE_EVERY = 32
# What time, memory or the machine decided says nothing about the candidate, and may be otherwise the next time.
_OF_THE_MOMENT = frozenset(
    (
        "LAUNCH_TIME",
        "LAUNCH_MEMORY",
        "COMPILE_TIME",
        "COMPILE_MEMORY",
        "SIZE_TOO_LARGE",
        "COST_NOT_TRACED",
    )
)


class Entry(NamedTuple):
    """One file of the cache as it lies there."""

    key: str
    path: Path
    size_bytes: int
    used: float
    """seconds of the epoch"""


def keepable(verdict: Verdict) -> bool:
    """Whether a verdict will be the same the next time: nothing in it was decided by the environment or by time."""
    if any(gate.status == "error" for gate in verdict.gates):
        return False
    return not any(
        finding.code in _OF_THE_MOMENT
        or (finding.code.startswith("ENV_") and finding.code != "ENV_DIRECTIVE_ALLOW")
        for finding in verdict.findings
    )


class VerdictCache:
    """The folder of verdicts. Safe between threads and processes; the longest unused go first."""

    def __init__(self, folder: Path | None = None, limit_mb: int = DEFAULT_LIMIT_MB) -> None:
        """
        Args:
            folder: the user's cache folder unless given.
            limit_mb: of all entries together; 0 keeps nothing and reads nothing.
        """
        self._folder = folder
        self._limit_bytes = limit_mb << 20
        self._lock = threading.Lock()
        self._stores = 0
        self._reported = False

    @property
    def folder(self) -> Path:
        """Where the entries lie.

        Raises:
            OSError: the folder cannot be made.
        """
        if self._folder is None:
            self._folder = cache_folder("verdicts")
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    def load(self, inputs: VerdictInputs) -> Record | None:
        """The record of these inputs, if there is one that holds."""
        if not self._limit_bytes:
            return None
        try:
            path = self.folder / f"{inputs.key}.json"
        except OSError:
            return None
        record = self.read(path)
        if record is not None:
            with contextlib.suppress(OSError):
                os.utime(path)
        return record

    def read(self, path: Path, *, discard: bool = True) -> Record | None:
        """The record in one file of the cache; None where it does not hold, and with `discard` the file is gone."""
        try:
            content = unsealed(_PURPOSE, read_own(path, _LARGEST_BYTES))
            if content is None:
                raise RecordError("it is not sealed with this user's key")
            return Record.read(content, path.stem)
        except FileNotFoundError:
            return None
        except (OSError, RecordError) as problem:
            if discard:
                _LOG.warning("discarded the cached verdict %s: %s", path.name, problem)
                with contextlib.suppress(OSError):
                    path.unlink()
            return None

    def store(self, inputs: VerdictInputs, verdict: Verdict) -> bool:
        """Keep a verdict, if it is of a kind that is kept. Whether it was.

        A verdict that refuses is not replaced by one that does not: with the same contents, only the seed differs between
        them, and who fails under one seed is wrong.
        """
        if not self._limit_bytes or not keepable(verdict):
            return False
        try:
            record = Record.of(inputs, verdict)
        except ValueError as error:
            # What does not come back from JSON as it went in is not kept.
            _LOG.warning("cannot store a verdict: %s", error)
            return False
        content = sealed(_PURPOSE, record.written())
        if len(content) > min(_LARGEST_BYTES, self._limit_bytes):
            return False
        try:
            path = self.folder / f"{record.key}.json"
            if verdict.feasible and (held := self.read(path)) is not None and held.verdict.feasible is False:
                return False
            _write_whole(path, content)
            self._stores += 1
            if self._stores % _MEASURE_EVERY == 1:
                self.shrink()
        except OSError as error:
            if not self._reported:
                self._reported = True
                _LOG.warning("verdicts are not cached: %s", error)
            return False
        return True

    def entries(self) -> list[Entry]:
        """What lies there, the last used first; not read.

        Raises:
            OSError: the folder cannot be read.
        """
        found = []
        with os.scandir(self.folder) as scan:
            for file in scan:
                with contextlib.suppress(OSError):
                    if file.name.endswith(".json") and file.is_file(follow_symlinks=False):
                        status = file.stat(follow_symlinks=False)
                        found.append(Entry(file.name[:-5], Path(file.path), status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: -entry.used)

    def records(self) -> Iterator[tuple[Entry, Record | None]]:
        """All entries, the last used first; None for one that does not hold, which another version may have written.

        Raises:
            OSError: the folder cannot be read.
        """
        for entry in self.entries():
            record = self.read(entry.path, discard=False)
            # Another process may have removed it since the folder was read.
            if record is not None or entry.path.exists():
                yield entry, record

    def shrink(self) -> None:
        """Down to the bound; also removes what killed processes left half written.

        Raises:
            OSError: the folder cannot be read.
        """
        with self._lock:
            total = 0
            for entry in self.entries():
                total += entry.size_bytes
                if total > self._limit_bytes:
                    entry.path.unlink(missing_ok=True)
            for half in self.folder.glob(".*.half"):
                with contextlib.suppress(OSError):
                    if abs(time.time() - half.stat().st_mtime) > _ABANDONED_S:
                        half.unlink()

    def clear(self, key: str = "") -> int:
        """Remove the entries whose keys begin so, all without; how many there were.

        Raises:
            OSError: the folder cannot be read.
        """
        chosen = [entry for entry in self.entries() if entry.key.startswith(key)]
        for entry in chosen:
            entry.path.unlink(missing_ok=True)
        return len(chosen)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all.

    Raises:
        OSError: there is no room or no right.
    """
    half = path.with_name(f".{path.stem[:16]}-{os.getpid()}-{secrets.token_hex(4)}.half")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
