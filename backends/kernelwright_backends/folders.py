"""Where Kernelwright keeps what it makes, by the conventions of the platform (XDG on Linux)."""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

import platformdirs

_NAME = "kernelwright"


def cache_folder(*parts: str) -> Path:
    """A folder for what can be made again: built objects, precompiled headers, reference outputs. Made if missing."""
    folder = Path(platformdirs.user_cache_dir(_NAME)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def configuration_folder() -> Path:
    """The user's own settings and trust list; not made by asking."""
    return Path(platformdirs.user_config_dir(_NAME))


def data_folder(*parts: str) -> Path:
    """A folder for what must not be lost: the memory. Made if missing."""
    folder = Path(platformdirs.user_data_dir(_NAME)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# Whoever was just handed an entry may not have opened it yet.
_RECENT_S = 900.0


def remove_oldest(folder: Path, limit_bytes: int, *, kept_s: float | None = None) -> int:
    """Let the longest unused entries of a cache folder go until the rest, all files summed, is within the limit.

    An entry is a file or a folder directly in `folder`; its modification time says when it was last used. None
    that was used within the last 15 minutes goes; every one goes that was not used for `kept_s` seconds.

    Returns:
        The bytes that are left.
    """
    now = time.time()
    entries = []
    with os.scandir(folder) as scan:
        for entry in scan:
            with suppress(OSError):
                entries.append((entry.stat(follow_symlinks=False).st_mtime, _size_of(entry), entry.path))
    total = sum(size for _, size, _ in entries)
    for used, size, path in sorted(entries):
        expired = kept_s is not None and now - used > kept_s
        if not expired and (total <= limit_bytes or now - used < _RECENT_S):
            break
        with suppress(OSError):
            shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()
            total -= size
    return total


def _size_of(entry: os.DirEntry[str]) -> int:
    if not entry.is_dir(follow_symlinks=False):
        return entry.stat(follow_symlinks=False).st_size
    with os.scandir(entry) as scan:
        return sum(_size_of(found) for found in scan)
