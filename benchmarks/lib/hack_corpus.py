"""The corpus of cheating and legitimate candidates under `tests/corpora`, or a folder like it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from kernelwright_verifier.project.config import LimitSettings

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "corpora"
# kind -> the folder of a corpus that holds it; the second name is that of sets kept elsewhere.
FOLDERS = {"hacked": ("cheats", "hacked"), "honest": ("legitimate", "honest")}
LIMITS = LimitSettings(time_s=20.0, memory_mb=2048)


def candidates(corpus: Path, only: Sequence[str]) -> list[tuple[str, Path]]:
    """(hacked or honest, file); those of the names in `only`, all where it is empty."""
    return [
        (kind, path)
        for kind, folders in FOLDERS.items()
        for path in sorted(
            p for name in folders for p in (corpus / name).glob("*") if p.suffix in (".cu", ".asc")
        )
        if not only or path.stem in only
    ]


def digest(path: Path) -> str:
    """Of the name and the text: rows of an earlier run are told by it."""
    return hashlib.sha256(path.name.encode() + b"\0" + path.read_bytes()).hexdigest()[:16]
