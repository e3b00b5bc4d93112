"""`compile_commands.json`: the command of every source, as CMake, Meson, Bazel and Bear write it down."""

import json
import shlex
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.build_systems.settings import BuildFacts, read_options

FILE_NAME = "compile_commands.json"
# Where build systems leave it: in the project, or in the folder that they build in.
PLACES = (FILE_NAME, f"build/{FILE_NAME}", f"out/{FILE_NAME}", f"cmake-build-debug/{FILE_NAME}")
_LARGEST_BYTES = 32 << 20
_SECONDS = 4.0  # of the processor's time
_LONGEST_COMMAND, _MOST_COMMANDS = 1 << 17, 50
_WHITE = " \t\r\n,"


def of_commands(source: Path, folder: Path) -> BuildFacts | None:
    """What a database in `folder` says of `source` (absolute, links resolved); None if it holds no such file."""
    for place in PLACES:
        file = folder / place
        try:
            stamp = file.stat()
        except OSError:
            continue
        facts = _read(file, source, stamp.st_mtime_ns, stamp.st_size)
        if facts is not None:
            return facts
    return None


@lru_cache(maxsize=64)
def _read(file: Path, source: Path, _modified_ns: int, _size_bytes: int) -> BuildFacts | None:
    """The first command for `source`; what cannot be read says nothing."""
    try:
        text = Reach(source).read(file, limit_bytes=_LARGEST_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return None
    if source.name not in text:
        return None
    left = _MOST_COMMANDS  # of files of that name
    for entry in _entries(text):
        named = entry.get("file")
        if not isinstance(named, str) or not named.endswith(source.name) or not left:
            continue
        left -= 1
        facts = _command(entry, source, file.parent)
        if facts is not None:
            return facts
    return None


def _entries(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a list, one after the other, so that no more than one is held; as far as they are such."""
    decode = json.JSONDecoder().raw_decode
    until_s = time.thread_time() + _SECONDS
    at = text.find("[") + 1
    number = 0
    while at:
        while at < len(text) and text[at] in _WHITE:
            at += 1
        try:
            entry, at = decode(text, at)
        except (ValueError, RecursionError):  # the end of the list is none of its values either
            return
        if isinstance(entry, dict):
            yield entry
        number += 1
        if number % 256 == 0 and time.thread_time() > until_s:
            return


def _command(entry: dict[str, Any], source: Path, beside: Path) -> BuildFacts | None:
    command, words = entry.get("command"), entry.get("arguments")
    folder = beside / str(entry.get("directory", "."))
    try:
        if (folder / entry["file"]).resolve() != source:
            return None
        if isinstance(command, str):
            words = shlex.split(command[:_LONGEST_COMMAND])
        if not isinstance(words, list):
            return None
        return read_options([str(word) for word in words[:_LONGEST_COMMAND]], folder)
    except (ValueError, OSError):
        return None
