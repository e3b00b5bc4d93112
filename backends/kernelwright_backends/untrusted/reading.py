"""Reading files that another program wrote: bounded in size and time, and only regular files.

A workspace is data of its author. A name in it may lead to a device that never ends, to a pipe that is never filled, to a sparse
file of terabytes or to a file of another user. Whoever reads a file of a workspace reads it here.
"""

import os
import stat
import time
from pathlib import Path

SOURCE_BYTES = 8 << 20
"""Of one source file, header, task or build file: far beyond what people write by hand."""
CONFIGURATION_BYTES = 1 << 17
"""Of `kernelwright.toml` and other files of settings."""
_CHUNK = 1 << 20
_WITHIN_S = 5.0


class Unreadable(OSError):
    """A file that is not read; the message names it and says why, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.strerror = message  # which is what is shown of errors of the system


def read_bounded(
    path: Path, *, limit_bytes: int = SOURCE_BYTES, within_s: float = _WITHIN_S, follow: bool = True
) -> bytes:
    """The content of a regular file.

    Args:
        limit_bytes: a larger file is refused, whatever it says of its size.
        within_s: reading takes no longer, where the file lies on a slow or endless device.
        follow: False: a symbolic link is refused. Links above the last name are always followed.

    Raises:
        FileNotFoundError: there is no such file.
        Unreadable: it is no regular file, too large, or was not read in time.
        OSError: it cannot be opened.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    # Asked before it is opened: to open a device may already do something.
    if not stat.S_ISREG(path.stat(follow_symlinks=follow).st_mode):
        raise Unreadable(f"{path} is not a regular file")
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{path} is not a regular file")
        if status.st_size > limit_bytes:
            raise Unreadable(f"{path} has {status.st_size} bytes; at most {limit_bytes} are read")
        deadline = time.monotonic() + within_s
        content = bytearray()
        while chunk := os.read(descriptor, _CHUNK):
            content += chunk
            if len(content) > limit_bytes:
                raise Unreadable(f"{path} has more than {limit_bytes} bytes")
            if time.monotonic() > deadline:
                raise Unreadable(f"{path} was not read within {within_s:g} s")
        return bytes(content)
    finally:
        os.close(descriptor)


def read_text_bounded(path: Path, *, limit_bytes: int = SOURCE_BYTES, errors: str = "strict") -> str:
    """The same as UTF-8 text with `\\n` as the end of line.

    Raises:
        UnicodeDecodeError: it is not UTF-8 (with `errors="strict"`).
        OSError: as `read_bounded`.
    """
    text = read_bounded(path, limit_bytes=limit_bytes).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
