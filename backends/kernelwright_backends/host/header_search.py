"""Where a header of the workspace lies, also where no build system says so."""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach

# Folders that projects keep headers in, beside the file or beside a folder above it.
_CUSTOMARY = (
    "",
    "include",
    "inc",
    "includes",
    "common",
    "Common",
    "common/inc",
    "src",
    "utils",
    "util",
    "headers",
)
_LEVELS = 6
# Libraries of CUDA that projects keep a copy of, often as a submodule.
_COPIED = ("cub", "thrust", "cuda", "nv")
_NOT_EXECUTED = ("cub", "thrust")
_INSTALLED = re.compile(r"/.*/cuda(?:[-_/][\w.-]+)*/include/(.+)")
# PyTorch has a header for each operator, and one for all.
_OF_OPERATORS, _ALL_OPERATORS = "ATen/ops/", "ATen/Functions.h"
# What stands in the folder of a copy.
_MARKS = ("cub.cuh", "device_vector.h")
# What stands in the uppermost folder of a project.
_TOP = (
    "setup.py",
    "pyproject.toml",
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
    "README.md",
    "README",
    ".gitignore",
)

# An include whose file nobody sees in the text, or that is only asked for: the compiler looks for itself.
_UNSEEN = re.compile(
    rb"#[ \t]*include[ \t]*(?:[A-Za-z_]|/\*)|#[ \t]*(?:include_next|import|embed)\b|\b__has_(?:include|embed)|\.incbin"
)


def looks_for_itself(text: bytes) -> bool:
    """Must the compiler find files that this text does not plainly name?"""
    return _UNSEEN.search(text) is not None


class HeaderSearch:
    """Finds the headers of one translation unit: first where a compiler would look, then where projects keep them.

    Nothing outside of the project is looked at (`reach.py`): the search goes upwards to its top, a few levels at most.
    """

    def __init__(self, main: Path, folders: Sequence[Path], own: Sequence[Path]) -> None:
        """
        Args:
            folders: include paths that were named.
            own: folders of Kernelwright's headers, which are no part of the workspace.
        """
        self._folders, self._own = tuple(folders), tuple(own)
        self.reach = Reach(main, folders)
        self.above = _workspace(
            main.parent, self.reach.top
        )  # the project's folders around the file, nearest first
        self.discovered: list[Path] = []  # folders that were found to hold a header, in order
        self.refused: dict[str, str] = {}  # headers that are there and are not read, as spelled: why

    def find(self, spelled: str, here: Path) -> Path | None:
        """The file that `"name"` or `<name>` in a file of folder `here` means; None if it is the system's, ours, or missing."""
        quoted, name = spelled.startswith('"'), spelled.strip('<>" ')
        if not name or "\0" in name:
            return None
        if name.startswith("/"):
            self._meets(Path(name), spelled)
            return None
        found = self._look(name, here, quoted)
        if found is None and name not in self.refused:
            # Where the compiler would look: what lies there and is not read, is named.
            for folder in (*([here] if quoted else []), *self._folders):
                if _is_file(folder / name):
                    self._meets(folder / name, spelled)
        return found

    def _meets(self, place: Path, spelled: str) -> None:
        if (why := self.reach.refusal(place)) is not None:
            self.refused.setdefault(spelled.strip('<>" '), why)

    def is_missing(self, spelled: str) -> bool:
        """Of what `find` does not find: is it neither ours nor the system's?"""
        name = spelled.strip('<>" ')
        return not (
            name.startswith("/") or any(_is_file(folder / name) for folder in self._own) or _is_system(name)
        )

    def copied(self, spelled: str) -> str | None:
        """Ours for `"../third_party/cub/cub/cub.cuh"`, a way to a project's own copy of CUDA's libraries, where that is missing, for a
        header by where a toolkit of CUDA was installed, and for one of a single operator of PyTorch, which its build writes.
        """
        name = spelled.strip('<>" ')
        if name.startswith(_OF_OPERATORS) and not any(_is_file(folder / name) for folder in self._own):
            return f"<{_ALL_OPERATORS}>"
        installed = _INSTALLED.fullmatch(name)
        if installed is not None and any(_is_file(folder / installed[1]) for folder in self._own):
            return f"<{installed[1]}>"
        found = self._own_header(spelled, _COPIED, first=1)
        return f"<{found[0]}>" if found is not None else None

    def in_place_of(self, spelled: str, meant: Path) -> str | None:
        """Ours for a header of a library whose inner workings no CPU executes, also where the project has a copy of it.

        Args:
            meant: the file of that name, which tells of a library that includes its own by `"../util_type.cuh"`.
        """
        copy = any(_is_file(above / mark) for above in meant.parents[:4] for mark in _MARKS)
        for path in (spelled, str(meant)) if copy else (spelled,):
            found = self._own_header(path, _NOT_EXECUTED, first=0)
            if found is not None:
                return f'"{found[1]}"'
        return None

    def _own_header(self, spelled: str, libraries: Sequence[str], first: int) -> tuple[str, Path] | None:
        """Ours that ends a path from one of the folders `libraries` on, which is its `first` part at the earliest."""
        parts = spelled.strip('<>" ').split("/")
        for start in range(first, len(parts) - 1):
            tail = "/".join(parts[start:])
            if parts[start] in libraries:
                for folder in self._own:
                    if _is_file(folder / tail):
                        return tail, folder / tail
        return None

    def _look(self, name: str, here: Path, quoted: bool) -> Path | None:
        first: list[Path] = [here] if quoted else []
        for folder in (*first, *self._folders):
            if (found := self._at(folder, name)) is not None:
                return found
        ours = any(_is_file(folder / name) for folder in self._own) or _is_system(name)
        if ours and not quoted:
            return None  # `<cuda.h>` is CUDA's, whatever else a project calls so
        for folder in self.discovered:
            if (found := self._at(folder, name)) is not None:
                return found
        if ours:
            return None
        for above in self.above:
            for customary in _CUSTOMARY:
                folder = above / customary
                if (found := self._at(folder, name)) is not None:
                    if folder not in self.discovered:
                        self.discovered.append(folder)
                    return found
        return self._elsewhere(name)

    def _at(self, folder: Path, name: str) -> Path | None:
        """The file `name` in `folder`, if it is there and belongs to the project."""
        place = folder / name
        return place.resolve() if _is_file(place) and self.reach.holds(place) else None

    def _elsewhere(self, name: str) -> Path | None:
        """The one file of that name in the project, or the first of several copies, at most two folders down from a folder above."""
        if any(c in name for c in "*?[") or ".." in Path(name).parts:
            return None  # a pattern that would go through everything, or a way out
        for above in self.above:
            found = sorted(
                {
                    p.resolve()
                    for depth in ("*", "*/*")
                    for p in islice(above.glob(f"{depth}/{name}"), 8)
                    if _is_file(p) and self.reach.holds(p)
                }
            )
            if found and all(self._same(found[0], other) for other in found[1:]):
                only = found[0]
                folder = Path(str(only)[: -len(name) - 1])
                if folder not in self.discovered:
                    self.discovered.append(folder)
                return only
            if found or any(_is_file(above / sign) for sign in _TOP):
                return None
        return None

    def _same(self, one: Path, other: Path) -> bool:
        try:
            return one.stat().st_size == other.stat().st_size and self.reach.read(one) == self.reach.read(
                other
            )
        except OSError:
            return False


def _workspace(folder: Path, top: Path) -> list[Path]:
    folder = folder.resolve()
    found: list[Path] = []
    for above in (folder, *folder.parents):
        if len(found) > _LEVELS or not above.is_relative_to(top):
            break
        found.append(above)
    return found


def _is_system(name: str) -> bool:
    if ".." in Path(name).parts:
        return False
    return _is_file(Path("/usr/include") / name) or ("/" not in name and "." not in name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
