"""`compile_commands.json`: the command of every source, as CMake, Meson, Bazel and Bear write it down."""

import json
import shlex
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelwright_verifier.build_systems.told import Told, read_options

FILE_NAME = "compile_commands.json"
# Where build systems leave it: in the project, or in the folder that they build in.
PLACES = (FILE_NAME, f"build/{FILE_NAME}", f"out/{FILE_NAME}", f"cmake-build-debug/{FILE_NAME}")
_LARGEST_BYTES = 64 << 20


def of_commands(source: Path, folder: Path) -> Told | None:
    """What a database in `folder` says of `source` (absolute, links resolved); None if it holds no such file."""
    for place in PLACES:
        file = folder / place
        try:
            stamp = file.stat()
        except OSError:
            continue
        commands = _read(file, stamp.st_mtime_ns, stamp.st_size)
        if source in commands:
            return commands[source]
    return None


@lru_cache(maxsize=8)
def _read(file: Path, _modified_ns: int, size_bytes: int) -> dict[Path, Told]:
    """By the real path of each source; what cannot be read says nothing."""
    if size_bytes > _LARGEST_BYTES:
        return {}
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[Path, Told] = {}
    for entry in listed if isinstance(listed, list) else ():
        command = _command(entry, file.parent) if isinstance(entry, dict) else None
        if command is not None:
            source, told = command
            found.setdefault(source, told)
    return found


def _command(entry: dict[str, Any], beside: Path) -> tuple[Path, Told] | None:
    source, command, words = entry.get("file"), entry.get("command"), entry.get("arguments")
    if not isinstance(source, str):
        return None
    folder = beside / str(entry.get("directory", "."))
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError:
            return None
    if not isinstance(words, list):
        return None
    return (folder / source).resolve(), read_options([str(word) for word in words], folder)
