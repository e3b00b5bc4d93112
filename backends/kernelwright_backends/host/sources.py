"""The files of a program as they are compiled: its translation units, each with the headers of the workspace that it includes."""

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.transitive_includes import transitive_includes
from kernelwright_backends.storage.folders import write_private
from kernelwright_backends.syntax.text import walk
from kernelwright_backends.untrusted.reach import Reach

LARGEST_PARSED_BYTES = 2 << 20
"""Of one file. A tree takes a hundred times as much memory as its text."""


@dataclass
class Sources:
    """One translation unit, and the others of its program."""

    main: Path
    files: dict[Path, Rewritten]  # by path; the candidate first
    has_main: bool
    folders: tuple[
        Path, ...
    ] = ()  # where the compiler looks for headers: those that were named and those that were found
    others: list[Self] = field(default_factory=list)  # further translation units of a program
    guessed: frozenset[Path] = frozenset()  # those of the folders that nobody named
    refused: Mapping[str, str] = field(default_factory=dict)  # includes that are there and are not read: why
    looks_for_itself: bool = (
        True  # does the compiler need more files of the user than those that are rewritten?
    )
    reach: Reach | None = None

    @property
    def units(self) -> Iterator[Self]:
        """This translation unit and the others that are linked with it."""
        yield self
        yield from self.others

    @property
    def shown(self) -> list[Path]:
        """The user's files that the compiler is shown besides the rewritten ones: none where the text names them all."""
        if self.reach is None or not self.looks_for_itself:
            return []
        return self.reach.shown([*(path.parent for path in self.files), *self.folders])

    @property
    def state(self) -> str:
        """A digest of those; no two are equal where there are too many to look at."""
        if self.reach is None or not self.looks_for_itself:
            return ""
        folders = [*(path.parent for path in self.files), *self.folders]
        return self.reach.state(folders, self.files) or secrets.token_hex(16)

    @property
    def include_flags(self) -> list[str]:
        """For the compiler: a folder that was guessed comes after the system's, which may have headers of the same names."""
        return [f"{'-idirafter' if folder in self.guessed else '-I'}{folder}" for folder in self.folders]

    @property
    def every_file(self) -> Mapping[Path, Rewritten]:
        """The files of all units. A header that several include stands here once, which is enough to find places."""
        if not self.others:
            return self.files
        merged: dict[Path, Rewritten] = {}
        for unit in self.units:
            for path, rewritten in unit.files.items():
                merged.setdefault(path, rewritten)
        return merged

    @property
    def all_text(self) -> bytes:
        return b"\n".join(rewritten.original for rewritten in self.files.values())

    def write(self, folder: Path, stub: str) -> None:
        """The rewritten files in `folder`, which no sandbox writes: `candidate.cpp` and its headers, each under its user's name."""
        for path, rewritten in self.files.items():
            name = "candidate.cpp" if path == self.main else header_name(path)
            spelled = str(path).replace("\\", "\\\\").replace('"', '\\"')
            ending = stub.encode() if path == self.main else b"\n"
            once = b"#pragma once\n" if b"#pragma once" in rewritten.original else b""
            once += self.included_before(path)
            write_private(folder / name, once + f'#line 1 "{spelled}"\n'.encode() + rewritten.text + ending)

    def included_before(self, path: Path) -> bytes:
        """The lines that include what the text of a file takes for granted."""
        return transitive_includes(self.files[path].original)

    def first_use(self, name: str) -> tuple[Path, Range] | None:
        """Where `name` is first called."""
        for path, rewritten in self.files.items():
            for node in walk(rewritten.tree.root_node):
                function = node.child_by_field_name("function") if node.type == "call_expression" else None
                if function is not None and function.text is not None:
                    plain = function.text.decode("utf-8", "replace").split("<", 1)[0].rsplit("::", 1)[-1]
                    if plain == name:
                        return path, rewritten.lines.range(function.start_byte, function.end_byte)
        return None


def header_name(path: Path) -> str:
    """A name for a rewritten header that no other header has."""
    return f"{hashlib.sha256(str(path).encode()).hexdigest()[:12]}-{path.name}"


def too_large(path: Path, text: str) -> Finding | None:
    """The finding about a text that is not parsed, since no memory would do for its tree."""
    if len(text) <= LARGEST_PARSED_BYTES:
        return None
    message = f"the file is too large to analyse ({len(text):,} characters; at most {LARGEST_PARSED_BYTES:,}): split it"
    return finding("COMPILE_ERROR", message, str(path))
