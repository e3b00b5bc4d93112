"""What C++ may include: no dialect another, nothing below a dialect that dialect, no file of the CUDA runtime a layer above its own."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BACKENDS = Path(__file__).resolve().parents[2] / "backends" / "kernelwright_backends"
RUNTIME = BACKENDS / "cuda" / "cpu" / "runtime"
# From below: shared state, what runs blocks, what checks and traces them, what a program calls, who drives it all. What a layer needs
# of those above stands in its own hooks.h, and is defined there.
LAYERS = ("state", "support", "probes", "exec", "check", "trace", "cuda_api", "driver")
FORBIDDEN = {"ascendc": ("cuda",), "cuda": ("ascendc",), "host": ("cuda", "ascendc")}
_SUFFIXES = (".h", ".cpp", ".c", ".cuh", ".cu", "")


def included(path: Path, *roots: Path) -> Iterator[tuple[str, Path]]:
    """The quoted includes of a file, as they are spelled, and where they lie if they lie here."""
    for said in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE):
        looked = (Path(os.path.normpath(place / said)) for place in (path.parent, *roots))
        yield said, next((file for file in looked if file.is_file()), path.parent / said)


@pytest.mark.parametrize("place", FORBIDDEN)
def test_no_dialect_includes_another_and_what_lies_below_includes_neither(place: str) -> None:
    out = tuple(BACKENDS / name for name in FORBIDDEN[place])
    sources = [
        path for path in sorted((BACKENDS / place).rglob("*")) if path.is_file() and path.suffix in _SUFFIXES
    ]
    assert sources
    assert [
        f"{path.relative_to(BACKENDS)} includes {said}"
        for path in sources
        for said, file in included(path, BACKENDS, RUNTIME)
        if any(file.is_relative_to(folder) for folder in out)
    ] == []


def test_no_file_of_the_runtime_includes_a_layer_above_its_own() -> None:
    assert {path.name for path in RUNTIME.iterdir() if path.is_dir()} == set(LAYERS)
    wrong = []
    for path in sorted(RUNTIME.glob("*/*")):
        own = LAYERS.index(path.parent.name)
        for said, file in included(path, RUNTIME, BACKENDS):
            if file.is_relative_to(RUNTIME) and LAYERS.index(file.relative_to(RUNTIME).parts[0]) > own:
                wrong.append(f"{path.relative_to(RUNTIME)} includes {said}")
    assert wrong == []


# Of a variable; functions have parentheses, and what is `extern "C"` is the interface that candidates are linked against.
_EXTERN = re.compile(r'^\s*extern\s+(?!"C"|template\b|const\b[^*;]*;)[^;()]*;', re.MULTILINE)


@pytest.mark.parametrize("place", ["cuda/cpu/runtime", "ascendc/cpu/runtime", "host/runtime"])
def test_what_files_of_a_runtime_share_is_in_its_context(place: str) -> None:
    found = [
        match[0].strip()
        for path in sorted((BACKENDS / place).rglob("*"))
        if path.suffix in (".h", ".cpp")
        for match in _EXTERN.finditer(path.read_text("utf-8"))
    ]
    assert found == ([] if place == "host/runtime" else ["extern Context context;"])
