"""Where Kernelwright keeps what it makes, by the conventions of the platform (XDG on Linux)."""

from pathlib import Path

import platformdirs

_NAME = "kernelwright"


def cache_folder(*parts: str) -> Path:
    """A folder for what can be made again: built objects, precompiled headers, reference outputs. Made if missing."""
    folder = Path(platformdirs.user_cache_dir(_NAME)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def configuration_folder() -> Path:
    """The user's own settings and trust list; not made by asking."""
    return Path(platformdirs.user_config_dir(_NAME))


def data_folder(*parts: str) -> Path:
    """A folder for what must not be lost: the memory. Made if missing."""
    folder = Path(platformdirs.user_data_dir(_NAME)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
