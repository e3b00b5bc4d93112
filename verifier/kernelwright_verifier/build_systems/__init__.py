"""What the build of a project says of a file: macros, include folders, the standard, and the words it is started with.

Nothing of a build is ever run. `compile_commands.json` knows each command and is taken alone; else the nearest folder upwards
that holds CMakeLists.txt, a Makefile, a setup.py, or beside the file a program that loads it as an extension, is read.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from kernelwright_backends.untrusted.reach import Reach
from kernelwright_backends.untrusted.reading import read_bounded
from kernelwright_verifier.build_systems import cmake, makefile, python_setup
from kernelwright_verifier.build_systems.compile_commands import of_commands
from kernelwright_verifier.build_systems.settings import BuildFacts, macro_name
from kernelwright_verifier.project.config import CompileSettings

_LEVELS = 8
_INCLUDED_ANYWAY = Path("/usr/include")
# Headers by which the folders are told that ours take the place of.
_OURS = ("cuda_runtime.h", "torch/extension.h", "ATen/ATen.h", "torch/torch.h")
# What a build without a device defines says nothing of a kernel.
_WITHOUT_DEVICE = re.compile(r"CPU_ONLY|(?:NO|WITHOUT|DISABLE|SKIP)_(?:CUDA|GPU)")
_MOST_PROGRAMS, _LARGEST_PROGRAM_BYTES, _MOST_ENTRIES = 40, 256 << 10, 5000
_MOST_TOLD = 1000  # folders, macros


def with_build(settings: CompileSettings, path: Path) -> CompileSettings:
    """`settings` with what the build of its project says of `path`; what the settings say comes first."""
    facts = of_build(path.resolve())
    both = BuildFacts(settings.include, settings.define, settings.std, settings.undefine) | facts
    return settings.model_copy(
        update={
            "include": both.include,
            "define": both.define,
            "std": both.std,
            "undefine": both.undefine,
        }
    )


def of_build(source: Path) -> BuildFacts:
    """What the project says of `source` (absolute, links resolved); nothing where nobody says anything.

    Include folders that are missing or that no compiler should be shown are left out, and those of a CUDA toolkit or of PyTorch,
    in whose place stand our own headers.
    """
    reach = Reach(source)
    folders = _project(source, reach)
    try:
        for folder in folders:
            if (facts := of_commands(source, folder)) is not None:
                return BuildFacts(
                    _usable(facts.include, reach),
                    facts.define[:_MOST_TOLD],
                    facts.std,
                    facts.undefine[:_MOST_TOLD],
                )
        facts = _of_files(source, tuple(folders))
    except RecursionError:  # targets that link each other, thousands in a row
        return BuildFacts()
    # A macro whose value is empty is one whose value was computed.
    define = (d for d in facts.define if not d.endswith("=") and not _WITHOUT_DEVICE.fullmatch(macro_name(d)))
    return BuildFacts(
        _usable(facts.include, reach), tuple(define)[:_MOST_TOLD], facts.std, facts.undefine[:_MOST_TOLD]
    )


class RunWords(NamedTuple):
    """How a project starts one of its programs."""

    words: tuple[str, ...] = ()
    source: Path | None = None


def run_words(source: Path) -> RunWords:
    """The words with which the Makefile beside a program, or else a test of its CMake project, starts it; () where nobody does."""
    reach = Reach(source)
    read = _makefile(source.parent, reach)
    if read is not None and (words := read.run_words()):
        return RunWords(words, read.read[0])
    folders = tuple(_project(source.resolve(), reach))
    if any((folder / cmake.FILE_NAME).is_file() for folder in folders):
        test = _cmake(folders, reach).test_of(source.resolve())
        if test is not None:
            return RunWords(
                tuple(_beside(word, source.parent, folders[-1]) for word in test.words), test.file
            )
    return RunWords()


def _beside(word: str, folder: Path, top: Path) -> str:
    """A file of the project as a program names it that runs beside its source; other words as they are."""
    place = Path(word)
    inside = place.is_absolute() and place.is_relative_to(top)
    return os.path.relpath(place, folder.resolve()) if inside else word


def _usable(folders: tuple[Path, ...], reach: Reach) -> tuple[Path, ...]:
    """Those within the project and the system's, hidden ones left out."""
    return tuple(i for i in folders[:_MOST_TOLD] if reach.holds(i) and _is_usable(i))


def _is_usable(folder: Path) -> bool:
    try:
        return (
            folder.is_dir()
            and folder != _INCLUDED_ANYWAY
            and not any((folder / header).exists() for header in _OURS)
        )
    except (OSError, ValueError):
        return False


def _project(source: Path, reach: Reach) -> list[Path]:
    """The folders from that of `source` up to the top of its project."""
    above = (folder for folder in source.parents[:_LEVELS] if folder.is_relative_to(reach.top))
    return list(dict.fromkeys((source.parent, *above)))


def _of_files(source: Path, folders: tuple[Path, ...]) -> BuildFacts:
    reach = Reach(source)
    for folder in folders:
        facts = BuildFacts()
        if (folder / cmake.FILE_NAME).is_file():
            facts |= _cmake(folders, reach).of(source)
        if (read := _makefile(folder, reach)) is not None:
            facts |= read.of(source)
        for file in _programs(folder, source, beside=folder in folders[:2]):
            if (extensions := _extensions(file, *_stamp(file))) is not None:
                facts |= extensions.of(source)
        if facts != BuildFacts():
            return facts
    return BuildFacts()


# ---- each file is read again when it changed, and else not ----


def _stamp(file: Path) -> tuple[int, int]:
    """(time of the last change, size); (0, 0) of what is not there."""
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _stamps(files: Iterable[Path]) -> tuple[tuple[int, int], ...]:
    return tuple(_stamp(file) for file in files)


_makefiles: dict[Path, tuple[tuple[tuple[int, int], ...], makefile.Makefile]] = {}
_projects: dict[tuple[Path, tuple[Path, ...]], tuple[tuple[tuple[int, int], ...], cmake.Project]] = {}
_MOST_KEPT = 64


def _makefile(folder: Path, reach: Reach) -> makefile.Makefile | None:
    """Of the Makefile's own links only those count that stay in the project."""
    known = _makefiles.get(folder)
    if known is not None and known[0] == _stamps(known[1].read):
        return known[1]
    read = makefile.read_makefile(folder, reach)
    if read is not None:
        if len(_makefiles) >= _MOST_KEPT:
            _makefiles.clear()
        _makefiles[folder] = (_stamps(read.read), read)
    return read


def _cmake(folders: tuple[Path, ...], reach: Reach) -> cmake.Project:
    listed = tuple(folder for folder in folders if (folder / cmake.FILE_NAME).is_file())
    key = (reach.top, listed)
    known = _projects.get(key)
    if known is None or known[0] != _stamps(known[1].read):
        project = cmake.read_project(listed[-1], listed, reach)
        if len(_projects) >= _MOST_KEPT:
            _projects.clear()
        known = _projects[key] = (_stamps(project.read), project)
    return known[1]


def _programs(folder: Path, source: Path, *, beside: bool) -> Iterator[Path]:
    """setup.py; near the source the programs that load it as an extension, or if there is none, those that load its neighbours."""
    if (folder / python_setup.FILE_NAME).is_file():
        yield folder / python_setup.FILE_NAME
    if not beside:
        return
    try:
        entries = islice(folder.iterdir(), _MOST_ENTRIES)
        programs = sorted(file for file in entries if file.suffix == ".py")[:_MOST_PROGRAMS]
    except OSError:
        return
    loaded = {file: _loaded(file, *_stamp(file)) for file in programs if file.name != python_setup.FILE_NAME}
    exactly = [file for file, names in loaded.items() if source in names]
    yield from exactly or [
        file for file, names in loaded.items() if any(n.parent == source.parent for n in names)
    ]


@lru_cache(maxsize=256)
def _loaded(file: Path, modified_ns: int, size_bytes: int) -> frozenset[Path]:
    """The CUDA sources that a program hands to PyTorch's `load`."""
    try:
        if b"cpp_extension" not in read_bounded(file, limit_bytes=_LARGEST_PROGRAM_BYTES):
            return frozenset()
    except OSError:
        return frozenset()
    extensions = _extensions(file, modified_ns, size_bytes)
    named = (name for sources, _ in extensions.calls for name in sources) if extensions is not None else ()
    return frozenset(file.parent / name for name in named if name.endswith(".cu"))


@lru_cache(maxsize=256)
def _extensions(file: Path, _modified_ns: int, _size_bytes: int) -> python_setup.Extensions | None:
    return python_setup.read_extensions(file)
