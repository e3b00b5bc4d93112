"""The folders that the user trusts, kept in the user's own configuration, never in a workspace."""

import json
from pathlib import Path

from kernelwright_backends.folders import configuration_folder

_NAME = "trusted_folders.json"


class TrustError(Exception):
    """The list cannot be read or written; the message names the file and the remedy."""


def trusted_folders() -> tuple[Path, ...]:
    """The folders of the list.

    Raises:
        TrustError: the file is there and cannot be read.
    """
    file = configuration_folder() / _NAME
    try:
        folders = json.loads(file.read_text(encoding="utf-8"))["folders"]
        return tuple(Path(folder) for folder in folders)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrustError(f"{file} cannot be read ({error}): repair or delete it") from None


def is_trusted(path: Path) -> bool:
    """Whether `path` lies in a trusted folder. A list that cannot be read trusts nothing."""
    try:
        folders = trusted_folders()
    except TrustError:
        return False
    resolved = path.resolve()
    return any(resolved.is_relative_to(folder) for folder in folders)


def trust(folder: Path) -> None:
    """Add `folder` to the list.

    Raises:
        TrustError: the list cannot be read or written.
    """
    folders = trusted_folders()
    if folder.resolve() not in folders:
        _write((*folders, folder.resolve()))


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


def _write(folders: tuple[Path, ...]) -> None:
    file = configuration_folder() / _NAME
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": 1, "folders": [str(folder) for folder in folders]}, indent=2)
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise TrustError(f"{file} cannot be written: {error.strerror}") from None
