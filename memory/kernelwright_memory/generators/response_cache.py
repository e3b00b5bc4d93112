"""Answers that were paid for once. (litellm's own response cache crashes on hits.)"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from kernelwright_backends.model import Model


class Reply(Model):
    """What a model answered, and what it took."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None


class ResponseCache:
    """Replies by the content of the question, one file each. Only what was read as a candidate is worth
    keeping.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def key(question: Any) -> str:
        return hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()

    def find(self, key: str) -> Reply | None:
        try:
            return Reply.model_validate_json(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def keep(self, key: str, reply: Reply) -> None:
        """Store `reply`; two processes may do so at once. A full disk loses the entry, not the run."""
        file = self._file(key)
        temporary: str | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=file.parent)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(reply.model_dump_json())
            Path(temporary).replace(file)
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
