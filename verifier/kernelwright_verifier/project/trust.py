"""The folders that the user trusts, kept in the user's own configuration, never in a workspace.

One rule for the editor and the command line: what a workspace's files name to be run, read from elsewhere or sent to counts only
below one of these folders, or where the user says so for one call.
"""

import os
import stat
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from kernelwright_backends.core.model import Model
from kernelwright_backends.storage.folders import configuration_folder
from kernelwright_backends.untrusted.reading import CONFIGURATION_BYTES, read_bounded

_NAME = "trusted_folders.json"
_MOST_FOLDERS = 10_000


class TrustError(Exception):
    """The list cannot be read or written; the message names the file and the remedy."""


class _Listed(Model):
    """What the file holds. Folders are absolute, links resolved."""

    number: Literal[1] = Field(1, alias="schema")
    folders: tuple[Path, ...] = Field(max_length=_MOST_FOLDERS)


def trusted_folders() -> tuple[Path, ...]:
    """The folders of the list.

    Raises:
        TrustError: the file is there and cannot be read, or somebody else could have written it.
    """
    file = configuration_folder() / _NAME
    try:
        status = file.lstat()
        if (reason := _why_not(status) or _why_not(file.parent.stat())) is not None:
            raise TrustError(
                f"{file} {reason} and is ignored. Check its content, then delete it or run 'chmod -R go-w "
                f"{file.parent}'"
            )
        content = read_bounded(file, limit_bytes=CONFIGURATION_BYTES, follow=False)
        folders = _Listed.model_validate_json(content).folders
    except FileNotFoundError:
        return ()
    except ValidationError as error:
        first = error.errors()[0]["msg"]
        raise TrustError(f"{file} cannot be read ({first}); repair or delete it") from None
    except OSError as error:
        raise TrustError(f"{file} cannot be read ({error}); repair or delete it") from None
    return tuple(folder for folder in folders if folder.is_absolute())


def trusted_folder_of(path: Path) -> Path | None:
    """The trusted folder that holds `path`, the innermost of several. A list that cannot be read trusts nothing."""
    try:
        folders = trusted_folders()
    except TrustError:
        return None
    resolved = path.resolve()
    holding = [folder for folder in folders if resolved.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)


def is_trusted(path: Path) -> bool:
    """Whether `path` lies in a trusted folder."""
    return trusted_folder_of(path) is not None


def trust(folder: Path) -> None:
    """Add `folder` to the list.

    Raises:
        TrustError: everybody can write the folder, or the list cannot be read or written.
    """
    resolved = folder.resolve()
    if resolved == resolved.parent:
        raise TrustError(
            f"{resolved} cannot be trusted because it holds files of all users; trust a folder of your own"
        )
    try:
        if resolved.stat().st_mode & stat.S_IWOTH:
            raise TrustError(
                f"{resolved} cannot be trusted because every user can write to it; trust a folder in it that only you "
                "can write to"
            )
    except OSError as error:
        raise TrustError(f"{resolved} cannot be read: {error.strerror}") from None
    folders = trusted_folders()
    if resolved not in folders:
        _write((*folders, resolved))


def distrust(folder: Path) -> bool:
    """Take `folder` off the list; whether it was on it.

    Raises:
        TrustError: the list cannot be read or written.
    """
    folders = trusted_folders()
    resolved = folder.resolve()
    if resolved not in folders:
        return False
    _write(tuple(f for f in folders if f != resolved))
    return True


def _why_not(status: os.stat_result) -> str | None:
    """Why the list, or its folder, could be somebody else's work; None where it is the user's alone."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if status.st_uid != os.geteuid():
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "is writable by other users"
    return None


def _write(folders: tuple[Path, ...]) -> None:
    file = configuration_folder() / _NAME
    temporary: Path | None = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = _Listed.model_validate({"schema": 1, "folders": folders}).model_dump_json(
            indent=2, by_alias=True
        )
        # A new file with mode 0600, in the place of whatever lay there.
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{_NAME}.")
        temporary = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text + "\n")
        temporary.replace(file)
    except (OSError, ValidationError) as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else error.errors()[0]["msg"]
        raise TrustError(f"{file} cannot be written: {reason}") from None
