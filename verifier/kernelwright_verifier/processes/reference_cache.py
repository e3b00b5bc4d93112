"""What the reference said before, on disk, by content: descriptions, and trials with their tensors."""

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelwright_backends.folders import remove_oldest

LIMIT_BYTES = 2 << 30
# A mapping is opened soon after it was handed out, and tensors are large: what is kept for longer than that counts fully.
_RECENT_S = 300.0
_SCRATCH = "scratch-"


class ReferenceCache:
    """A folder of answers. Entries appear whole or not at all; the longest unused go before a new one comes, so that all
    processes together keep to the limit, but for what was used within the last five minutes."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(parents=True, exist_ok=True)
        self.scratch = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-", dir=folder))
        self._remove_abandoned()

    @staticmethod
    def key(*parts: Any) -> str:
        """Of everything that an answer depends on; plain data."""
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def load(self, key: str) -> dict[str, Any] | None:
        """The stored answer; for a trial, with the path of its mapping under "mapping"."""
        record, mapping = self.folder / f"{key}.json", self.folder / f"{key}.bin"
        try:
            answer: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
            os.utime(record)
            if "mapping" in answer:
                os.utime(mapping)
                answer["mapping"] = str(mapping)
        except (OSError, ValueError):
            return None
        return answer

    def store(self, key: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Keep an answer; its mapping, if it has one, is moved out of the scratch folder.

        Raises:
            OSError: the folder cannot be written.
        """
        drawn = Path(answer["mapping"]) if "mapping" in answer else None
        if drawn is not None:
            answer = {**answer, "mapping": str(self.folder / f"{key}.bin")}
        record = self.scratch / f"{key}.json"
        added_bytes = record.write_text(json.dumps(answer), encoding="utf-8")
        added_bytes += drawn.stat().st_size if drawn is not None else 0
        with self._room_for(added_bytes):
            if drawn is not None:
                drawn.chmod(0o444)
                drawn.replace(answer["mapping"])
            record.replace(self.folder / f"{key}.json")
        return answer

    def close(self) -> None:
        _remove_folder(self.scratch)

    @contextlib.contextmanager
    def _room_for(self, added_bytes: int) -> Iterator[None]:
        """Within, there is room for so much, and no other process stores anything.

        What lies here all processes count together, in one file: to look through the folder after each store would cost more
        than the store. Who removes entries need not count; at worst somebody looks too early.
        """
        with (self.folder / "stored").open("a+b") as ledger:
            fcntl.flock(ledger, fcntl.LOCK_EX)
            ledger.seek(0)
            said = ledger.read()
            stored_bytes = int(said) if said.isdigit() else self._limit_bytes
            if stored_bytes + added_bytes > self._limit_bytes:
                # Some more, so that the next store need not look again.
                within_bytes = self._limit_bytes - self._limit_bytes // 16 - added_bytes
                stored_bytes = remove_oldest(self.folder, within_bytes, recent_s=_RECENT_S, spared=_SCRATCH)
            yield
            ledger.truncate(0)
            ledger.write(b"%d" % (stored_bytes + added_bytes))

    def _remove_abandoned(self) -> None:
        """Scratch folders of processes that are gone."""
        for folder in self.folder.glob(f"{_SCRATCH}*-*"):
            process = folder.name.split("-")[1]
            if process.isdecimal() and not Path("/proc", process).exists():
                _remove_folder(folder)


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            file.unlink(missing_ok=True)
        folder.rmdir()
