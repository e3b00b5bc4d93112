"""What the reference said before, on disk, by content: descriptions, and trials with their tensors."""

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from kernelwright_backends.folders import remove_oldest

LIMIT_BYTES = 2 << 30


class ReferenceCache:
    """A folder of answers. Entries appear whole or not at all; the longest unused go first."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(parents=True, exist_ok=True)
        self.scratch = Path(tempfile.mkdtemp(prefix=f"scratch-{os.getpid()}-", dir=folder))
        self._room_bytes = 0  # nothing is known yet of what other processes have stored
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
        added_bytes = 0
        if "mapping" in answer:
            mapping = self.folder / f"{key}.bin"
            Path(answer["mapping"]).chmod(0o444)
            Path(answer["mapping"]).replace(mapping)
            answer = {**answer, "mapping": str(mapping)}
            added_bytes += mapping.stat().st_size
        record = self.scratch / f"{key}.json"
        added_bytes += record.write_text(json.dumps(answer), encoding="utf-8")
        record.replace(self.folder / f"{key}.json")
        self._shrink(added_bytes)
        return answer

    def close(self) -> None:
        _remove_folder(self.scratch)

    def _shrink(self, added_bytes: int) -> None:
        """Look through the folder now and then: after each store it would cost more than the store."""
        self._room_bytes -= added_bytes
        if self._room_bytes < 0:
            left_bytes = remove_oldest(self.folder, self._limit_bytes)
            self._room_bytes = max(self._limit_bytes - left_bytes, self._limit_bytes // 16)

    def _remove_abandoned(self) -> None:
        """Scratch folders of processes that are gone."""
        for folder in self.folder.glob("scratch-*-*"):
            process = folder.name.split("-")[1]
            if process.isdecimal() and not Path("/proc", process).exists():
                _remove_folder(folder)


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            file.unlink(missing_ok=True)
        folder.rmdir()
