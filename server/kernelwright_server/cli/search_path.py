"""Where programs and modules are looked for: in the user's folders, never relative to where the command was started.

Who is in a clone and has `.`, or nothing between two colons, on a path would otherwise run the clone's `g++` or import its modules.
"""

import os
import sys
from pathlib import Path

_PATHS = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
)


def keep_absolute() -> None:
    """Take what is relative off this process's paths, and so off those of the programs that it starts."""
    for name in _PATHS:
        if (value := os.environ.get(name)) is not None:
            kept = [folder for folder in value.split(os.pathsep) if Path(folder).is_absolute()]
            if kept:
                os.environ[name] = os.pathsep.join(kept)
            elif name == "PATH":
                os.environ[name] = (
                    os.defpath
                )  # without it the folder where we are is looked at on some systems
            else:
                del os.environ[name]
    sys.path[:] = [folder for folder in sys.path if Path(folder).is_absolute() and not _is_here(folder)]


def _is_here(folder: str) -> bool:
    """The folder where we were started, which `python -m` puts first; not where this package itself comes from."""
    ours = Path(__file__).parents[2]
    try:
        return not sys.flags.safe_path and Path(folder) == Path.cwd() != ours and folder == sys.path[0]
    except OSError:  # it is gone
        return False
