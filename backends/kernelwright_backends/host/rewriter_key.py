"""The digest of the modules that make a candidate's C++ and read the compiler's messages: a build that other code made is not taken."""

from functools import cache
from pathlib import Path

from kernelwright_backends.storage.content_key import content_key

_HERE = Path(__file__).resolve().parent
_BACKENDS = _HERE.parent
# Of both dialects.
_SHARED = (_HERE, _BACKENDS / "syntax")


def rewriter_files(*places: Path) -> tuple[Path, ...]:
    """The modules of a dialect in `places`, folders or files, and those that both dialects are made of."""
    folders = [place for place in (*places, *_SHARED) if place.is_dir()]
    files = [place for place in places if place.is_file()]
    return (*sorted(file for folder in folders for file in folder.rglob("*.py")), *files)


@cache
def rewriter_hash(files: tuple[Path, ...]) -> str:
    """Of the names and the texts of modules."""
    named = ((file.relative_to(_BACKENDS).as_posix(), file.read_bytes()) for file in files)
    return content_key(named, digits=16)
