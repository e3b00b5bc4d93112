"""The user's headers that nvcc read, so that a change of one is noticed."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from kernelwright_backends.untrusted.reading import read_bounded


def headers_read(dependencies: Path, main: Path, own: Sequence[Path]) -> dict[str, str]:
    """The headers that a file of dependencies (`-MD`) names, each with the SHA-256 of its content.

    Args:
        dependencies: of ours, taken over from where the compiler wrote it.
        main: the translation unit's own source.
        own: folders whose files go by version: ours, the toolkit's, the one in which the compiler worked.
    """
    try:
        text = dependencies.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    words = text.replace("\\\n", " ").split(":", 1)[-1].split()
    # What `#line` names, and is no file, was never read.
    paths = {path for word in words if (path := Path(word).resolve()).is_file()} - {main}
    roots = (*own, dependencies.parent, Path("/usr"))
    return {str(p): _digest(p) for p in sorted(paths) if not any(p.is_relative_to(root) for root in roots)}


def unchanged(headers: Mapping[str, str]) -> bool:
    """Whether each is still what it was."""
    return all(_digest(Path(name)) == digest for name, digest in headers.items())


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(read_bounded(path)).hexdigest()
    except OSError:
        return ""
