"""Where Kernelwright keeps what it makes, by the conventions of the platform (XDG on Linux)."""

import errno
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

_NAME = "kernelwright"


def cache_folder(*parts: str) -> Path:
    """A folder for what can be made again: built objects, precompiled headers, reference outputs, verdicts. Made if missing.

    Where the user's cache folder cannot be written (a read-only home), it lies in a folder of this user's alone among the
    temporary files.

    Raises:
        OSError: there it cannot be made either.
    """
    root = Path(platformdirs.user_cache_dir(_NAME))
    folder = (root if _writable(root) else _temporary_root()).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def _writable(root: Path) -> bool:
    """Whether files can be made below `root`; asked once, since a file is made to find out."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return True
    except OSError as error:
        # A full disk is another matter: there is a place, and it will have room again.
        return error.errno not in _READ_ONLY


_READ_ONLY = frozenset((errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR))


def _temporary_root() -> Path:
    """`kernelwright-UID` among the temporary files, if it is this user's and nobody else's; else a new one.

    Raises:
        OSError: no temporary file can be made.
    """
    root = Path(tempfile.gettempdir()) / f"{_NAME}-{os.geteuid()}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        status = root.lstat()
    except OSError:
        return _own_temporary_root()
    mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return root if mine else _own_temporary_root()


@cache
def _own_temporary_root() -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{_NAME}-"))


def configuration_folder() -> Path:
    """The user's own settings and trust list; not made by asking."""
    return Path(platformdirs.user_config_dir(_NAME))


def data_path(*parts: str) -> Path:
    """Where what must not be lost lies: the memory. Not made by asking, so that asking never fails."""
    return Path(platformdirs.user_data_dir(_NAME)).joinpath(*parts)


def data_folder(*parts: str) -> Path:
    """The same, made if missing.

    Raises:
        OSError: it cannot be made.
    """
    folder = data_path(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# Whoever was just handed an entry may not have opened it yet.
_RECENT_S = 900.0


def remove_oldest(
    folder: Path,
    limit_bytes: int,
    *,
    kept_s: float | None = None,
    recent_s: float = _RECENT_S,
    spared: str | None = None,
) -> int:
    """Let the longest unused entries of a cache folder go until the rest, all files summed, is within the limit.

    An entry is a file or a folder directly in `folder`; its modification time says when it was last used.

    Args:
        kept_s: every entry goes that was not used for so long.
        recent_s: no entry goes that was used within so long.
        spared: entries whose names begin so are counted, and stay.

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
        if not expired and (total <= limit_bytes or now - used < recent_s):
            break
        if spared is not None and Path(path).name.startswith(spared):
            continue
        with suppress(OSError):
            shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()
            total -= size
    return total


def _size_of(entry: os.DirEntry[str]) -> int:
    if not entry.is_dir(follow_symlinks=False):
        return entry.stat(follow_symlinks=False).st_size
    with os.scandir(entry) as scan:
        return sum(_size_of(found) for found in scan)
