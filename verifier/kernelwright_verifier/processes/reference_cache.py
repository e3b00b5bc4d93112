"""What the reference said before, on disk, by content: descriptions, and trials with their tensors."""

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

LIMIT_BYTES = 2 << 30
# Whoever was just handed a mapping may not have opened it yet.
_RECENT_S = 900.0


class ReferenceCache:
    """A folder of answers. Entries appear whole or not at all; the longest unused go first."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(parents=True, exist_ok=True)
        self.scratch = Path(tempfile.mkdtemp(prefix=f"scratch-{os.getpid()}-", dir=folder))
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
        if "mapping" in answer:
            mapping = self.folder / f"{key}.bin"
            Path(answer["mapping"]).chmod(0o444)
            Path(answer["mapping"]).replace(mapping)
            answer = {**answer, "mapping": str(mapping)}
        record = self.scratch / f"{key}.json"
        record.write_text(json.dumps(answer), encoding="utf-8")
        record.replace(self.folder / f"{key}.json")
        self._shrink()
        return answer

    def close(self) -> None:
        _remove_folder(self.scratch)

    def _shrink(self) -> None:
        entries = []
        with os.scandir(self.folder) as scan:
            for entry in scan:
                with contextlib.suppress(OSError):
                    if entry.is_file(follow_symlinks=False):
                        entries.append((entry.stat().st_mtime, entry.stat().st_size, Path(entry.path)))
        total, now = sum(size for _, size, _ in entries), time.time()
        for used, size, path in sorted(entries):
            if total <= self._limit_bytes or now - used < _RECENT_S:
                return
            path.unlink(missing_ok=True)
            total -= size

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
