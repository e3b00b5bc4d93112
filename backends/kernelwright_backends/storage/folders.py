"""The folders in which Kernelwright keeps its files, by the conventions of the platform (XDG on Linux)."""

import errno
import grp
import logging
import os
import pwd
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import BinaryIO

import platformdirs

_NAME = "kernelwright"


_LOG = logging.getLogger("kernelwright")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder(*parts: str) -> Path:
    """A folder for what can be made again: built objects, precompiled headers, reference outputs, verdicts. Made if missing, for
    this user alone.

    Where the user's cache folder cannot be written (a read-only home), or another program could write it, it lies in a folder of
    this user's alone among the temporary files.

    Raises:
        OSError: there it cannot be made either.
    """
    root = Path(platformdirs.user_cache_dir(_NAME))
    return private_folder((root if _usable(root) else _temporary_root()).joinpath(*parts))


def private_folder(folder: Path) -> Path:
    """`folder`, made if missing, which nobody but this user may look into.

    Raises:
        OSError: it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return folder
    except FileNotFoundError:
        private_folder(folder.parent)
        return private_folder(folder)
    folder.chmod(0o700)  # whatever the umask left of it
    return folder


def write_private(file: Path, content: bytes) -> None:
    """Write a file that nobody but this user may read, whatever the umask.

    Args:
        file: in a folder that no sandboxed code can write; replaced where it is there, and what it may be a link to stays.

    Raises:
        OSError: it cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600)
    except FileExistsError:
        file.unlink()
        descriptor = os.open(file, flags, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        os.fchmod(descriptor, 0o600)
        opened.write(content)


def is_own(path: Path, limit_bytes: int | None = None) -> bool:
    """Whether what lies there can be what an earlier process of this user put there, so that it may decide something: a file of one
    name or a folder, no link, and nobody else's to write.

    Args:
        limit_bytes: no larger file is.
    """
    try:
        status = path.lstat()
    except OSError:
        return False
    if stat.S_ISDIR(status.st_mode):
        return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
    return _why_not_own(status) is None and (limit_bytes is None or status.st_size <= limit_bytes)


def read_own(file: Path, limit_bytes: int) -> bytes:
    """What an earlier process of this user left in a folder of ours.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: as `own_file`, or it is larger than `limit_bytes`.
    """
    with own_file(file) as opened:
        content = opened.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, f"it has more than {limit_bytes} bytes", str(file))
    return content


@contextmanager
def own_file(file: Path, *, secret: bool = False) -> Iterator[BinaryIO]:
    """A file of ours, opened for reading; what it is was looked at once it was open.

    Args:
        secret: nobody else may have read it either.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it is a link, no regular file, another user's, has a second name, or others may write it.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if (why := _why_not_own(status)) is None and secret and status.st_mode & 0o077:
            why = "others may read it"
        if why is not None:
            raise OSError(errno.EPERM, why, str(file))
        yield opened


def _why_not_own(status: os.stat_result) -> str | None:
    """Why a file cannot be what an earlier process of this user left there; None where it can."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    if status.st_mode & _OTHERS_WRITE:
        return "others may write it"
    if status.st_nlink != 1:
        return "it has a second name"
    return None


def remove(path: Path) -> None:
    """Remove what lies there, in a folder of ours, whatever it is. Where a link leads stays.

    Raises:
        OSError: it is a file and cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def tighten(root: Path, without: str = "") -> None:
    """Take away what others may do with files and folders of this user's below `root`, which older versions left readable.

    Args:
        without: an entry of `root` that stays as it is, being not ours alone to change.
    """
    with suppress(OSError), os.scandir(root) as scan:
        for entry in scan:
            if entry.name == without:
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if status.st_mode & 0o077 and not stat.S_ISLNK(status.st_mode):
                    _close_to_others(entry.path)
                if stat.S_ISDIR(status.st_mode):
                    tighten(Path(entry.path))


def _close_to_others(path: str) -> None:
    # By the descriptor: the name may be another file's by now.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if status.st_uid == os.geteuid() and (stat.S_ISDIR(status.st_mode) or status.st_nlink == 1):
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & 0o700)
    finally:
        os.close(descriptor)


def refusal(root: Path) -> str:
    """Why an existing folder is not used as a cache: others could put something into it. Empty where it may be used."""
    try:
        status = root.stat()
    except OSError:
        return ""
    if status.st_uid != os.geteuid():
        return f"{root} belongs to another user and is not used; remove it, or set XDG_CACHE_HOME"
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)):
        return f"{root} can be written by other users and is not used; remove it, or set XDG_CACHE_HOME"
    return ""


def _is_private(gid: int) -> bool:
    """Whether a group is the one that some systems make for each user, with nobody else in it."""
    with suppress(KeyError):
        me, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
        return gid == me.pw_gid and group.gr_name == me.pw_name and not group.gr_mem
    return False


@cache
def _usable(root: Path) -> bool:
    """Whether files can be made below `root`, and by nobody else; asked once, since a file is made to find out."""
    if said := refusal(root):
        _LOG.warning("%s", said)
        return False
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        private_folder(root)
        if root.stat().st_mode & 0o077:
            root.chmod(0o700)
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
    return Path(tempfile.mkdtemp(prefix=f"{_NAME}-own-"))


@contextmanager
def working_folder(purpose: str) -> Iterator[Path]:
    """A new, empty folder for what one piece of work needs as long as it lasts; removed with all that is in it.

    It lies among the temporary files, in a folder of this user's alone, of which no program is shown more than it is given
    (`own_folder_of`).

    Raises:
        OSError: no temporary file can be made.
    """
    with tempfile.TemporaryDirectory(dir=_temporary_root(), prefix=f"{purpose}-") as folder:
        yield Path(folder)


# Among the temporary files: `working_folder`'s, and the scratch folders of sandboxes.
_TEMPORARY = re.compile(rf"{_NAME}-(?:\d+|own-\w+|[0-9a-f]{{16}})")


def own_folder_of(path: Path) -> Path | None:
    """The folder of Kernelwright's own that holds `path`: caches, the memory, settings, what other runs are at work on. None where
    none does.

    Args:
        path: absolute, links resolved.
    """
    for folder in _own_folders(*map(os.environ.get, _PLACES)):
        if path.is_relative_to(folder):
            return folder
    temporary = _temporary()
    if path != temporary and path.is_relative_to(temporary):
        name = path.relative_to(temporary).parts[0]
        if _TEMPORARY.fullmatch(name):
            return temporary / name
    return None


def holds_own_folder(path: Path) -> bool:
    """Whether folders of Kernelwright's own lie below `path`, or may come to lie there."""
    own = (*_own_folders(*map(os.environ.get, _PLACES)), _temporary() / _NAME)
    return any(folder != path and folder.is_relative_to(path) for folder in own)


_PLACES = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@lru_cache(maxsize=4)
def _own_folders(*_places: str | None) -> tuple[Path, ...]:
    named = (platformdirs.user_cache_dir, platformdirs.user_config_dir, platformdirs.user_data_dir)
    return tuple(dict.fromkeys(Path(os.path.realpath(place(_NAME))) for place in named))


def _temporary() -> Path:
    return _real(tempfile.gettempdir())


@lru_cache(maxsize=4)
def _real(folder: str) -> Path:
    return Path(os.path.realpath(folder))


def configuration_folder(*, make: bool = False) -> Path:
    """The user's own settings and trust list; made, for this user alone, only where that is asked for.

    Raises:
        OSError: it cannot be made.
    """
    folder = Path(platformdirs.user_config_dir(_NAME))
    return _own_root(folder) if make else folder


def data_path(*parts: str) -> Path:
    """Where what must not be lost lies: the memory. Not made by asking, so that asking never fails."""
    return Path(platformdirs.user_data_dir(_NAME)).joinpath(*parts)


def data_folder(*parts: str) -> Path:
    """The same, made if missing, for this user alone.

    Raises:
        OSError: it cannot be made.
    """
    _own_root(data_path())
    return private_folder(data_path(*parts))


def _own_root(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    private_folder(folder)
    status = folder.stat()
    if status.st_uid == os.geteuid() and status.st_mode & 0o077:
        folder.chmod(0o700)
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
