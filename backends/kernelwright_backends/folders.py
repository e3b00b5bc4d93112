"""Where Kernelwright keeps what it makes, by the conventions of the platform (XDG on Linux)."""

import errno
import os
import stat
import tempfile
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
