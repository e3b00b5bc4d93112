"""Removing a folder that hostile code filled, whatever it made of modes, names and depth. Standard library only: run by path too."""

# Run where importing pathlib would cost more than the removal.
# ruff: noqa: PTH100, PTH101

import os
import stat
from contextlib import suppress

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(folder: "str | os.PathLike[str]") -> bool:
    """Remove the folder and all below it. Nobody may write there any more.

    No link is followed, no path of more than one name is given to the kernel, and three descriptors are open at a time, so that
    neither links nor depth lead or end it elsewhere. A link or a file of that name is removed as such.

    Returns:
        Whether nothing is left; what cannot be removed stays, and all else goes.
    """
    parent, name = os.path.split(os.path.abspath(folder))
    try:
        above = os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return not os.path.lexists(folder)
    try:
        if not _unlinked(name, above):
            _empty(name, above)
        return not _exists(name, above)
    finally:
        os.close(above)


def _empty(name: str, above: int) -> None:
    """Remove a folder: down into each folder that is found, up again where there is none left, until it is gone."""
    here = entered(name, above)
    if here is None:
        return
    way = [
        (name, _cleared(here))
    ]  # from `above` to the folder that is open, with the folders still to be entered
    while way:
        last, waiting = way[-1]
        if waiting:
            inner = waiting.pop()
            deeper = entered(inner, here)
            if deeper is not None:
                os.close(here)
                here = deeper
                way.append((inner, _cleared(here)))
            continue
        way.pop()
        up = os.open("..", _FOLDER, dir_fd=here) if way else os.dup(above)
        os.close(here)
        here = up
        with suppress(OSError):
            os.rmdir(last, dir_fd=here)
    os.close(here)


def _cleared(here: int) -> "list[str]":
    """Remove what is no folder, and return the names of what is left."""
    with os.scandir(here) as entries:
        found = [entry.name for entry in entries]
    return [name for name in found if not _unlinked(name, here)]


def _unlinked(name: str, folder: int) -> bool:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


def entered(name: str, folder: int) -> "int | None":
    """A descriptor of the folder of this name, through no link; its owner gets all rights to it. None where it is none."""
    try:
        looked = os.open(name, _LOOK, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(looked)
        if not stat.S_ISDIR(status.st_mode):
            return None
        if status.st_mode & 0o700 != 0o700:
            # A descriptor of this kind takes no mode itself, its name does; that name is no link to elsewhere.
            os.chmod(f"/proc/self/fd/{looked}", 0o700)
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None
    finally:
        os.close(looked)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True
