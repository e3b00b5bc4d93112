"""The folders of an operator's headers: builds put the kernels of all operators of a project side by side."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernelwright_backends.ascendc.cpu import prebuilt as tools
from kernelwright_backends.host.header_search import HeaderSearch

# Folders of a project, below one that is above the kernel, in which the kernels of other operators stand.
_BESIDE = ("*/op_kernel", "*/*/op_kernel", "utils/kernel", "*/utils/kernel", "op_kernel", "*/op_kernel/utils")
_LEVELS = 4
_MOST_ENTRIES = 20000
_MOST_HOST_HEADERS = 100
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*(\"[^\"\n]+\"|<[^>\n]+>)", re.MULTILINE)
# Where CANN keeps its host interfaces.
_HOST = (
    "graph/",
    "exe_graph/",
    "register/",
    "tiling/",
    "platform/",
    "log/",
    "error_util",
    "op_log",
    "util/",
    "tiling_base/",
    "base/",
    "experiment/",
    "external/",
    "op_common/",
    "runtime/",
)
# Interfaces that CANN spreads over many headers; ours come from one, which is included before everything else.
_SPREAD = (
    "lib/",
    "adv_api/",
    "basic_api/",
    "impl/",
    "kernel_operator_",
    "kernel_tensor",
    "kernel_tpipe",
    "kernel_macros",
    "kernel_event",
    "ascendc/basic_api/",
    "interface/",
)


class OperatorHeaders(HeaderSearch):
    """Like `HeaderSearch`; what it does not find is looked for among the kernels of the project's other operators."""

    def __init__(self, main: Path, folders: Sequence[Path]) -> None:
        super().__init__(main, folders, (tools.INCLUDE,))
        self._listed: dict[Path, list[Path]] = {}

    def _look(self, name: str, here: Path, quoted: bool) -> Path | None:
        found = super()._look(name, here, quoted)
        if found is not None or not quoted or (tools.INCLUDE / name).is_file():
            return found
        if ".." in Path(name).parts:
            return None  # from another folder it leads elsewhere
        for above in self.above[1 : _LEVELS + 1]:
            for pattern in _BESIDE:
                beside = sorted(
                    folder / name
                    for folder in above.glob(pattern)
                    if (folder / name).is_file() and self.reach.holds(folder / name)
                )
                if beside:
                    return beside[0].resolve()
        return self._below(name)

    def _below(self, name: str) -> Path | None:
        """Somewhere below the nearest folder that holds such a file: where a build's include paths lead."""
        for above in self.above:
            if above not in self._listed:
                self._listed[above] = _files_below(above)
            found = [file for file in self._listed[above] if file.as_posix().endswith("/" + name)]
            if found:
                nearest = min(found, key=lambda file: (len(file.parts), file))
                folder = nearest.parents[len(Path(name).parts) - 1]
                if folder not in self.discovered:
                    self.discovered.append(folder)
                return nearest.resolve()
        return None


def _files_below(folder: Path) -> list[Path]:
    """Headers below a folder, breadth first, as many as a project has."""
    found: list[Path] = []
    waiting, seen = [folder], 0
    while waiting and seen < _MOST_ENTRIES:
        try:
            entries = sorted(os.scandir(waiting.pop(0)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir():
                waiting.append(Path(entry.path))
            elif entry.name.endswith((".h", ".hpp", ".cuh", ".inc")):
                found.append(Path(entry.path))
    return found


@dataclass
class HostHeaders:
    """What an operator's host file includes: what the project has, and what the host's own headers would hold."""

    files: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # of CANN's host interfaces: ours come from one header


def host_headers(host: Path) -> HostHeaders:
    """Of the host file and of what it includes of the project."""
    made = HostHeaders()
    search = HeaderSearch(host, (), (tools.INCLUDE,))
    waiting, seen = [host], {host}
    while waiting and len(seen) < _MOST_HOST_HEADERS:
        here = waiting.pop()
        try:
            text = search.reach.read(here)
        except OSError:
            continue
        for spelled in _INCLUDE.findall(text):
            name = spelled.decode("utf-8", "replace")
            found = search.find(name, here.parent)
            if found is None:
                plain = name.strip('<>"')
                if plain.startswith(_HOST) and not (tools.INCLUDE / plain).is_file():
                    made.missing.append(plain)
            elif found not in seen:
                seen.add(found)
                waiting.append(found)
                made.files.append(found)
    made.folders = search.discovered
    return made


def stands_for_ours(name: str) -> bool:
    """Is this a header of the interface itself, whose contents `kernel_operator.h` has?"""
    return name.startswith(_SPREAD) and not (tools.INCLUDE / name).is_file()
