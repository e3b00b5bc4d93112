"""Disk space: reserved before it is needed; a full disk is distinguished from faults of the candidate."""

import errno
import os
import resource
import signal
from typing import BinaryIO

NO_DISK_SPACE = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG))
REMEDY = "free disk space ('kernelwright cache size' shows what is kept), or set XDG_CACHE_HOME and TMPDIR to writable folders"


def says_no_disk_space(said: str) -> bool:
    """Whether the messages of a program, in the C locale, tell of a full or read-only disk.

    A file that grew too large counts only where a limit was set on us: otherwise the limit is the sandbox's, and reaching it
    the doing of what ran there.
    """
    words = [os.strerror(error) for error in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)]
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        words += [os.strerror(errno.EFBIG), signal.strsignal(signal.SIGXFSZ) or ""]
    return any(word and word in said for word in words)


def reserve_space(file: BinaryIO, size_bytes: int) -> None:
    """Make a file so long, with room for all of it. A mapping of a file with holes would end its reader by a signal where the
    disk is full, and the reader is the candidate.

    Raises:
        OSError: there is no such room.
    """
    try:
        os.posix_fallocate(file.fileno(), 0, size_bytes)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        file.truncate(size_bytes)  # this file system cannot
