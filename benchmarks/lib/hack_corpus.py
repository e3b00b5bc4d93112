"""The corpus of cheating and legitimate candidates under `tests/hack`, or a folder like it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from kernelwright_verifier.project.config import LimitSettings

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "hack"
LIMITS = LimitSettings(time_s=20.0, memory_mb=2048)


def candidates(corpus: Path, only: Sequence[str]) -> list[tuple[str, Path]]:
    """(hacked or honest, file); those of the names in `only`, all where it is empty."""
    return [
        (kind, path)
        for kind in ("hacked", "honest")
        for path in sorted(p for p in (corpus / kind).iterdir() if p.suffix in (".cu", ".asc"))
        if not only or path.stem in only
    ]


def digest(path: Path) -> str:
    """Of the name and the text: rows of an earlier run are told by it."""
    return hashlib.sha256(path.name.encode() + b"\0" + path.read_bytes()).hexdigest()[:16]
