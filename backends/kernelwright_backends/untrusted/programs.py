"""Programs of the machine, by name: compilers, tools, the sandbox's own. They run outside of every sandbox.

`PATH` is the user's, and yet a folder of a clone may stand in it: a tool that sets it up for each folder put it there, or it holds
`.`, or the folder was there before the clone. What lies in a project is run only where the user trusts it.
"""

import logging
import os
import shutil
import sys
from pathlib import Path

from kernelwright_backends.untrusted.reach import untrusted_project_of

_LOG = logging.getLogger("kernelwright")
_reported: set[str] = set()


def on_path(name: str, path: str | None = None) -> str | None:
    """Where a program lies, as `shutil.which` finds it; relative folders, and those of a project that is not trusted, are passed
    over.

    Args:
        path: in place of `PATH`.
    """
    path = os.environ.get("PATH", os.defpath) if path is None else path
    for folder in path.split(os.pathsep):
        if not Path(folder).is_absolute():
            continue
        found = shutil.which(name, path=folder)
        if found is None:
            continue
        if (project := _foreign(Path(folder))) is None:
            return found
        if found not in _reported:
            _reported.add(found)
            _LOG.warning(
                "%s is not run: it lies in a project that is not trusted. Take %s off PATH, or run 'kernelwright trust %s'",
                found,
                folder,
                project,
            )
    return None


def believed_path() -> str:
    """`PATH` without the folders that `on_path` passes over: for a program that looks for others itself."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(f for f in folders if Path(f).is_absolute() and _foreign(Path(f)) is None)


def _foreign(folder: Path) -> Path | None:
    """The project that is not trusted in which a folder lies. Where we run from ourselves, there is nobody left to ask."""
    real = Path(os.path.realpath(folder))
    if real.is_relative_to(os.path.realpath(sys.prefix)):
        return None
    return untrusted_project_of(real)
