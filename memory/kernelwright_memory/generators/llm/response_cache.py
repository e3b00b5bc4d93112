"""Answers that were paid for once. (litellm's own response cache crashes on hits.)"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_backends.untrusted.reading import read_bounded

_LARGEST_BYTES = 8 << 20


class Reply(Model):
    """What a model answered, and what it took."""

    text: str
    tokens_in: int = Field(0, ge=0)
    tokens_out: int = Field(0, ge=0)
    cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)


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
            file = self._file(key)
            status = file.lstat()
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return None  # somebody else could have written it
            return Reply.model_validate_json(read_bounded(file, limit_bytes=_LARGEST_BYTES, follow=False))
        except (OSError, ValueError):
            return None

    def keep(self, key: str, reply: Reply) -> None:
        """Store `reply`; two processes may do so at once. A full disk loses the entry, not the run."""
        file = self._file(key)
        temporary: str | None = None
        try:
            content = reply.model_dump_json()
            if len(content) > _LARGEST_BYTES:
                return
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=file.parent)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(content)
            Path(temporary).replace(file)
        except (OSError, ValueError):  # a lone surrogate is no text
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
