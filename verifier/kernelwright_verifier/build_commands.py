"""What a build system says of a file: macros, include folders and the standard in `compile_commands.json`."""

import json
import re
import shlex
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelwright_verifier.config import CompileSettings

FILE_NAME = "compile_commands.json"
# Where build systems leave it: in the project, or in the folder that they build in.
_PLACES = (FILE_NAME, f"build/{FILE_NAME}", f"out/{FILE_NAME}", f"cmake-build-debug/{FILE_NAME}")
_LARGEST_BYTES = 64 << 20
_LEVELS = 8
_STANDARD = re.compile(r"(?:c|gnu)\+\+(17|1z|20|2a|23|2b)")


def with_build_commands(settings: CompileSettings, path: Path) -> CompileSettings:
    """`settings` with what the nearest `compile_commands.json` says of `path`; what the settings say comes first."""
    told = _told(path.resolve())
    if told is None:
        return settings
    named = {_name(define) for define in settings.define}
    return settings.model_copy(
        update={
            "include": tuple(dict.fromkeys((*settings.include, *told.include))),
            "define": (*settings.define, *(d for d in told.define if _name(d) not in named)),
            "std": settings.std or told.std,
        }
    )


def _name(define: str) -> str:
    return define.split("=", 1)[0]


def _told(path: Path) -> CompileSettings | None:
    for above in path.parents[:_LEVELS]:
        for place in _PLACES:
            file = above / place
            try:
                stamp = file.stat()
            except OSError:
                continue
            commands = _read(file, stamp.st_mtime_ns, stamp.st_size)
            if path in commands:
                return commands[path]
        if (above / ".git").exists() or (above / "kernelwright.toml").exists():
            return None
    return None


@lru_cache(maxsize=8)
def _read(file: Path, _modified_ns: int, size_bytes: int) -> dict[Path, CompileSettings]:
    """By the real path of each source; what cannot be read says nothing."""
    if size_bytes > _LARGEST_BYTES:
        return {}
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[Path, CompileSettings] = {}
    for entry in listed if isinstance(listed, list) else ():
        settings = _settings(entry, file.parent) if isinstance(entry, dict) else None
        if settings is not None:
            source, compiled = settings
            found.setdefault(source, compiled)
    return found


def _settings(entry: dict[str, Any], beside: Path) -> tuple[Path, CompileSettings] | None:
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
    include: list[Path] = []
    define: list[str] = []
    standard: str | None = None
    values = iter([str(word) for word in words])
    for word in values:
        for option in ("-isystem", "-iquote", "--define-macro", "--include-path", "-D", "-I"):
            if not word.startswith(option):
                continue
            value = word[len(option) :].lstrip("=") if word != option else next(values, "")
            if option in ("-D", "--define-macro"):
                define.append(value)
            elif value:
                include.append((folder / value).resolve())
            break
        else:
            if match := re.fullmatch(r"--?std(?:=(.*))?", word):
                told = _STANDARD.fullmatch(match[1] if match[1] is not None else next(values, ""))
                if told is not None:
                    standard = "c++" + {"1z": "17", "2a": "20", "2b": "23"}.get(told[1], told[1])
    defines = tuple(dict.fromkeys(d for d in define if re.match(r"[A-Za-z_]\w*(?:\([^)]*\))?(?:=|$)", d)))
    return (folder / source).resolve(), CompileSettings(include=tuple(include), define=defines, std=standard)
