"""The one door out of the sandbox.

A folder that sandboxed code can write holds whatever that code wants it to hold: links to the user's files, pipes, devices,
files with a second name elsewhere, files that change while they are read. So the rest of the program never opens, renames,
moves or writes anything in such a folder. It takes results through this module, which opens them without following links,
looks at what it has opened, and copies. What was copied is the server's own; what stays behind is thrown away with the folder.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class HandoverError(Exception):
    """What lies there is not taken; the message names it and says why, in one line."""


def take(folder: Path, name: str, *, limit_bytes: int) -> bytes:
    """The content of one file that sandboxed code left in `folder`.

    Args:
        folder: made by us for one sandbox; nothing in it is believed.
        name: relative, as we told the sandboxed program to call it; never a name that it told us.

    Raises:
        FileNotFoundError: there is no such file.
        HandoverError: it is no regular file, has a second name, belongs to somebody else, or is larger than `limit_bytes`.
    """
    with _opened(folder, name, limit_bytes) as (descriptor, _):
        content = bytearray()
        while chunk := os.read(descriptor, _CHUNK):
            content += chunk
            if len(content) > limit_bytes:
                raise HandoverError(f"{name} has more than {limit_bytes} bytes")
        return bytes(content)


def copy_out(folder: Path, name: str, destination: Path, *, limit_bytes: int, mode: int = 0o600) -> int:
    """Copy one file that sandboxed code left in `folder` to a new file where no sandbox can write. Holes stay holes.

    Args:
        destination: must not exist; its folder is the server's own.
        mode: of the new file.

    Returns:
        Its size in bytes.

    Raises:
        FileNotFoundError: there is no such file.
        HandoverError: as `take`.
        OSError: the copy cannot be written; nothing is left of it.
    """
    with _opened(folder, name, limit_bytes) as (source, size_bytes):
        target = os.open(
            destination, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            os.ftruncate(target, size_bytes)
            for start, end in _written(source, size_bytes):
                _copy_range(source, target, start, end)
            os.fchmod(target, mode)
        except BaseException:
            destination.unlink(missing_ok=True)
            raise
        finally:
            os.close(target)
        return size_bytes


def discard(folder: Path) -> None:
    """Remove a folder that sandboxed code could write, with everything in it, whatever modes it was given."""

    def reopen(function: object, path: str, _: object) -> None:
        with suppress(OSError):
            Path(path).parent.chmod(0o700)
            if not Path(path).is_symlink():
                Path(path).chmod(0o700)
            shutil.rmtree(path) if Path(path).is_dir() and not Path(path).is_symlink() else Path(
                path
            ).unlink()

    shutil.rmtree(folder, onerror=reopen)


@contextmanager
def _opened(folder: Path, name: str, limit_bytes: int) -> Iterator[tuple[int, int]]:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise HandoverError(f"{name} is not a name within the folder")
    here = os.open(folder, _FOLDER)
    try:
        owner = os.fstat(here).st_uid
        for part in parts[:-1]:
            deeper = _open(part, _FOLDER, here, name)
            os.close(here)
            here = deeper
        descriptor = _open(parts[-1], _FILE, here, name)
    finally:
        os.close(here)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise HandoverError(f"{name} is not a regular file")
        if status.st_nlink != 1:
            raise HandoverError(f"{name} has a second name")
        # The sandboxed program's own uid is the folder's owner, where that is not ours.
        if status.st_uid not in (owner, os.geteuid()):
            raise HandoverError(f"{name} belongs to another user")
        if status.st_size > limit_bytes:
            raise HandoverError(f"{name} has {status.st_size} bytes, more than {limit_bytes}")
        yield descriptor, status.st_size
    finally:
        os.close(descriptor)


def _open(part: str, flags: int, folder: int, name: str) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise HandoverError(f"{name} cannot be taken: {error.strerror}") from None


def _written(descriptor: int, size_bytes: int) -> Iterator[tuple[int, int]]:
    """The ranges of a file that hold data."""
    end = 0
    while end < size_bytes:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
            end = min(os.lseek(descriptor, start, os.SEEK_HOLE), size_bytes)
        except OSError:  # no data behind this, or a file system without holes
            return
        if start < end:
            yield start, end


def _copy_range(source: int, target: int, start: int, end: int) -> None:
    while start < end:
        chunk = os.pread(source, min(_CHUNK, end - start), start)
        if not chunk:
            raise HandoverError("it became shorter while it was copied")
        done = 0
        while done < len(chunk):
            done += os.pwrite(target, chunk[done:], start + done)
        start += len(chunk)
