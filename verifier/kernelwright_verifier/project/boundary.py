"""Where the project around a file ends, and which of its files are the user's own.

What lies above a project's top, or was put there by somebody else, says nothing of it: a `kernelwright.toml` in the shared folder
of temporary files would otherwise speak for everybody who works below it.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kernelwright_backends.untrusted.reach import open_project
from kernelwright_verifier.project.trust import trusted_folder_of

_MARK = ".git"
_IMPORTED = "artefact.json"  # at the top of what `kernelwright bundle import` makes


class Project(NamedTuple):
    """The folders that belong together, as far as that is known of one file."""

    top: Path
    """absolute, links resolved; files above it are ignored"""
    trusted: bool
    """whether the user trusts the project: its files may name programs, outside paths and addresses"""

    def holds(self, path: Path) -> bool:
        """Whether `path`, links followed, lies in it."""
        return path.resolve().is_relative_to(self.top)


def project_of(
    start: Path, *, trusted: bool | None = None, workspace: Path | None = None, named: Path | None = None
) -> Project:
    """The project around `start`, a file or a folder.

    Its top is the trusted folder that holds it; else the editor's workspace; else the nearest folder of the user's own with
    `.git`; else that of an imported bundle; else the folder that the user named; else the file's own folder. The home folder, and what
    holds it, is the project of nothing below it unless the user trusts it: people keep their settings in a repository there.

    Args:
        trusted: what the user said just now, which wins over the list of trusted folders; None: the list decides.
        workspace: a folder that is open in the editor.
        named: a folder on the command line.
    """
    folder = folder_of(start)
    project = _project_around(folder, trusted, workspace, named)
    open_project(folder, project.top)
    return project


def _project_around(
    folder: Path, trusted: bool | None, workspace: Path | None, named: Path | None
) -> Project:
    listed = trusted_folder_of(folder) if trusted is not False else None
    trusted = listed is not None if trusted is None else trusted
    if listed is not None:
        return Project(listed, trusted)
    if workspace is not None and folder.is_relative_to(workspace.resolve()):
        return Project(workspace.resolve(), trusted)
    for mark in (_MARK, _IMPORTED):
        for above in own_folders_up(folder):
            if os.path.lexists(above / mark) and not _holds_home(above):
                return Project(above, trusted)
    if named is not None and folder.is_relative_to(named.resolve()) and not _holds_home(named.resolve()):
        return Project(named.resolve(), trusted)
    return Project(folder, trusted)


def _holds_home(folder: Path) -> bool:
    return Path(os.path.realpath(Path.home())).is_relative_to(folder)


def folder_of(start: Path) -> Path:
    """The folder of a file, which need not exist; of a folder itself. Absolute, links resolved."""
    resolved = start.resolve()
    return resolved if resolved.is_dir() else resolved.parent


def folders_up(start: Path, top: Path) -> Iterator[Path]:
    """From the folder of `start` to `top`, which holds it."""
    folder = folder_of(start)
    for above in (folder, *folder.parents):
        yield above
        if above == top:
            return


def why_not_own(file: Path) -> str | None:
    """Why a file of settings is not taken for the user's own, in words that follow its name; None where it is.

    Raises:
        OSError: it, or its folder, cannot be looked at.
    """
    status = file.lstat()
    return why_not_settings(status) or _why_not_folder(file.parent)


def why_not_settings(status: os.stat_result) -> str | None:
    """The same of what was found at its name, by the file's status alone."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if not _ours(status):
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & stat.S_IWOTH:
        return "is writable by every user"
    return None


def _why_not_folder(folder: Path) -> str | None:
    status = folder.stat()
    if not _ours(status):
        return f"is in a folder of another user (uid {status.st_uid})"
    if status.st_mode & stat.S_IWOTH:
        return "is in a folder that is writable by every user"
    return None


def own_folders_up(folder: Path) -> Iterator[Path]:
    """From `folder` upwards as long as nobody else could have put anything there."""
    for above in (folder, *folder.parents):
        try:
            if _why_not_folder(above) is not None:
                return
        except OSError:
            return
        yield above


def _ours(status: os.stat_result) -> bool:
    """Of this user, or of root, who can write everything anyway."""
    return status.st_uid in (os.geteuid(), 0)
