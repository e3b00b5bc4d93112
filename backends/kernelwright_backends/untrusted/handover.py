"""The one door out of the sandbox.

A folder that sandboxed code can write holds whatever that code needs it to hold: links to the user's files, pipes, devices,
files with a second name elsewhere, files that change while they are read. So the rest of the program never opens, renames,
moves or writes anything in such a folder. It takes results through this module, which opens them without following links,
looks at what it has opened, and copies. What was copied is the server's own; what stays behind is thrown away with the folder.

What a step is given lies in folders that its sandbox may only read. What it makes goes into an `Output`, which is empty before
and gone after it: the only kind of folder that a sandbox is let write.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from kernelwright_backends.storage import removal
from kernelwright_backends.storage.folders import cache_folder

OUTPUTS = "outputs"
"""The folder of the cache in which all of them lie."""
_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class HandoverError(Exception):
    """What lies there is not taken; the message names it and says why, in one line."""


# A file that is not there, or is none that is taken: to whoever wanted a result it is the same.
NOT_TAKEN = (FileNotFoundError, HandoverError)


class Output:
    """A folder for what one sandboxed program makes. It can be named to the program, and results can be taken out of it; that is
    all, so that nothing here reads or writes in it by accident. Only `fresh_output` makes one."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def inside(self, *names: str) -> PurePosixPath:
        """What the program is to call a place in it; a name, with which nothing can be opened."""
        return PurePosixPath(self._folder, *names)

    def take(self, name: str, *, limit_bytes: int) -> bytes:
        """See `take`."""
        return take(self._folder, name, limit_bytes=limit_bytes)

    def copy_out(self, name: str, destination: Path, *, limit_bytes: int, mode: int = 0o600) -> int:
        """See `copy_out`."""
        return copy_out(self._folder, name, destination, limit_bytes=limit_bytes, mode=mode)

    def bound(self) -> Path:
        """For the sandbox, which shows the folder to the program, and for nobody else."""
        return self._folder


@contextmanager
def fresh_output(furnish: Callable[[Path], None] | None = None) -> Iterator[Output]:
    """A new, empty folder for one sandboxed program to write; removed with all that was left in it.

    Args:
        furnish: puts something into it before any program sees it.

    Raises:
        OSError: there is no space, or no right, to make one.
    """
    folder = Path(tempfile.mkdtemp(dir=cache_folder(OUTPUTS), prefix="output-"))
    try:
        if furnish is not None:
            furnish(folder)
        yield Output(folder)
    finally:
        discard(folder)


def bound(writable: "Path | Output") -> Path:
    """Where what a program may write lies: for the sandbox alone."""
    return writable.bound() if isinstance(writable, Output) else writable


def take(folder: Path, name: str, *, limit_bytes: int) -> bytes:
    """The content of one file that sandboxed code left in `folder`.

    Args:
        folder: made by us for one sandbox; nothing in it is believed.
        name: relative, as we told the sandboxed program to call it; never a name that it told us.

    Raises:
        FileNotFoundError: there is no such file.
        HandoverError: it is no regular file, has a second name, belongs to another program, or is larger than `limit_bytes`.
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


def put_back(folder: Path, name: str, content: bytes) -> None:
    """Let a file that sandboxed code could write hold `content` again, before the next sandbox is shown it. The file stays.

    Args:
        folder: ours, in which no sandbox could make or replace a name.

    Raises:
        FileNotFoundError, HandoverError: as `take`.
        OSError: it cannot be written.
    """
    with _opened(folder, name, sys.maxsize, flags=_FILE | os.O_RDWR) as (descriptor, _):
        os.ftruncate(descriptor, len(content))
        done = 0
        while done < len(content):
            done += os.pwrite(descriptor, content[done : done + _CHUNK], done)


@contextmanager
def taken_off(folder: Path, name: str) -> Iterator[tuple[int, int]]:
    """A file that sandboxed code could write, opened without a copy of it: (descriptor, bytes). It loses its name first, so that
    nobody can cut it while it is looked at.

    Args:
        folder: ours, as for `put_back`; no process of the sandbox is there any more.

    Raises:
        FileNotFoundError, HandoverError: as `take`.
        OSError: its name cannot be taken away.
    """
    with _opened(folder, name, sys.maxsize) as (descriptor, size_bytes):
        Path(folder, name).unlink()
        yield descriptor, size_bytes


def discard(folder: Path) -> None:
    """Remove a folder that sandboxed code could write, with everything in it, whatever modes it was given and however deep it is.

    What cannot be removed stays, and nothing is raised.
    """
    removal.remove(folder)


@contextmanager
def _opened(folder: Path, name: str, limit_bytes: int, flags: int = _FILE) -> Iterator[tuple[int, int]]:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise HandoverError(f"{name} is not a name within the folder")
    here = _open(str(folder), _FOLDER, None, name)
    try:
        owner = os.fstat(here).st_uid
        for part in parts[:-1]:
            deeper = _open(part, _FOLDER, here, name)
            os.close(here)
            here = deeper
        descriptor = _open(parts[-1], flags, here, name)
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


def _open(part: str, flags: int, folder: int | None, name: str) -> int:
    try:
        try:
            return os.open(part, flags, dir_fd=folder)
        except PermissionError:
            _let_in(part, folder)
            return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise HandoverError(f"{name} cannot be taken: {error.strerror}") from None


def _let_in(part: str, folder: int | None) -> None:
    """Give the owner back the rights to a file or folder that sandboxed code has shut: what it made is ours, whatever mode it left.

    Raises:
        OSError: it is not ours to change.
    """
    looked = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        status = os.fstat(looked)
        if stat.S_ISDIR(status.st_mode):
            mode = 0o700
        elif stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            mode = 0o600
        else:
            return  # nothing that would be taken
        # A descriptor of this kind takes no mode itself, its name does; that name is no link to elsewhere.
        os.chmod(f"/proc/self/fd/{looked}", mode)  # noqa: PTH101
    finally:
        os.close(looked)


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
