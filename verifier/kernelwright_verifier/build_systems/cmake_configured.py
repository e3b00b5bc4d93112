"""Headers that CMake would make of a pattern by `configure_file`: made the same way, in a folder of our own."""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from kernelwright_backends.storage.folders import cache_folder
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.build_systems.cmake_language import is_true

_SUFFIXES = (".h", ".hpp", ".hh", ".hxx", ".cuh", ".inc", ".inl", ".cu", ".ipp")
_LARGEST_BYTES, _MOST_FILES = 256 << 10, 50
_DEFINE = re.compile(r"^([ \t]*#[ \t]*)cmakedefine(01)?[ \t]+(\w+)([^\n]*)$", re.MULTILINE)
_AT = re.compile(r"@(\w+)@")
_EITHER = re.compile(r"@(\w+)@|\$\{(\w+)\}")


class Configured:
    """The configured headers of one project. What belongs in the source folder lies in a shadow of it."""

    def __init__(self, root: Path, reach: Reach) -> None:
        self._root, self._reach = root, reach
        self.binary = cache_folder("configured", hashlib.sha256(str(root).encode()).hexdigest()[:16])
        self._number = 0
        self._folders: set[Path] = set()

    def make(
        self, pattern: Path, output: Path, variables: Mapping[str, str], *, copied: bool, at_only: bool
    ) -> None:
        """Write the header that `configure_file(pattern output)` makes; anything else is left alone."""
        place = self._shadow(output) if output.is_relative_to(self._root) else output
        if (
            output.suffix not in _SUFFIXES
            or self._number >= _MOST_FILES
            or not place.is_relative_to(self.binary)
        ):
            return
        try:
            if not pattern.resolve().is_relative_to(self._root):
                return
            text = self._reach.read(pattern, limit_bytes=_LARGEST_BYTES).decode("utf-8", "replace")
            made = (text if copied else configured(text, variables, at_only=at_only)).encode()
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not place.is_file() or place.read_bytes() != made:
                temporary = place.with_name(f".{place.name}.{os.getpid()}")
                temporary.touch(mode=0o600)
                temporary.write_bytes(made)
                temporary.replace(place)
        except (OSError, ValueError):
            return
        self._number += 1
        self._folders.add(place.parent)

    def with_shadows(self, include: tuple[Path, ...]) -> tuple[Path, ...]:
        """`include` with the folders in which headers stand that belong in one of its folders."""
        shadows = (self._shadow(folder) for folder in include if folder.is_relative_to(self._root))
        held = (s for s in shadows if any(folder.is_relative_to(s) for folder in self._folders))
        return tuple(dict.fromkeys((*include, *held)))

    def _shadow(self, place: Path) -> Path:
        return self.binary / "source" / place.relative_to(self._root)


def configured(text: str, variables: Mapping[str, str], *, at_only: bool) -> str:
    """`text` with `#cmakedefine`, `@NAME@` and, unless `at_only`, `${NAME}` replaced."""

    def defined(match: "re.Match[str]") -> str:
        holds = is_true(variables.get(match[3], ""))
        if match[2]:
            return f"{match[1]}define {match[3]} {int(holds)}{match[4]}"
        return f"{match[1]}define {match[3]}{match[4]}" if holds else f"/* #undef {match[3]} */"

    text = _DEFINE.sub(defined, text)
    size = 0

    def value(match: "re.Match[str]") -> str:
        nonlocal size
        found = variables.get(match[match.lastindex or 1], "")
        size += len(found)
        if size > _LARGEST_BYTES:
            raise ValueError("its values are longer than any header")
        return found

    return (_AT if at_only else _EITHER).sub(value, text)
