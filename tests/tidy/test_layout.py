"""What folders promise: the code map names what exists, includes are found, and caches know every file that decides what they hold."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright_backends.ascendc.cpu import prebuilt as ascendc
from kernelwright_backends.cuda.cpu import prebuilt as cuda
from kernelwright_backends.host import rewriter_key

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ROOT / "backends" / "kernelwright_backends"
PACKAGES = [ROOT / name / f"kernelwright_{name}" for name in ("backends", "verifier", "memory", "server")]
MAP = ROOT / "ARCHITECTURE.md"
MAP_LINES = 200
DIAGRAM_MODULES = 12
HOST_RUNTIME = BACKENDS / "host" / "runtime"
GPU_DRIVER = BACKENDS / "cuda" / "gpu" / "driver"
# folder -> where else its quoted includes are looked for, as its compiler is told
DRIVERS = {
    cuda.RUNTIME: (cuda.RUNTIME, BACKENDS),
    ascendc.RUNTIME: (BACKENDS,),
    HOST_RUNTIME: (),
    GPU_DRIVER: (),
}
# What the key of a built driver is made of.
HASHED = (cuda.RUNTIME, ascendc.RUNTIME, HOST_RUNTIME, GPU_DRIVER, cuda.INCLUDE, ascendc.INCLUDE, cuda.SHIM,
          BACKENDS / "cuda" / "gpu" / "include")  # fmt: skip


def named_paths(text: str) -> Iterator[str]:
    """What stands between backticks and is a path, of the repository or of a package, as one of the repository."""
    for said in re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", text):
        if "/" in said:
            found = [path for root in (ROOT, *PACKAGES) if (path := root / said).exists()]
            yield found[0].relative_to(ROOT).as_posix() if len(found) == 1 else f"{said} ({len(found)} files)"


def test_every_path_of_the_code_map_exists() -> None:
    text = MAP.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAP_LINES
    paths = list(named_paths(text))
    assert len(paths) > 60
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_folder_of_a_package_is_on_the_code_map() -> None:
    text = MAP.read_text(encoding="utf-8")
    named = set(named_paths(text))
    for package in PACKAGES:
        for folder in sorted(path.parent for path in package.glob("*/__init__.py")):
            place = folder.relative_to(ROOT).as_posix()
            assert any(path == place or path.startswith(f"{place}/") for path in named), place


def test_diagrams_are_short_and_enter_no_module_twice() -> None:
    diagrams = re.findall(r"^```text\n(.*?)^```", MAP.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(diagrams) == 2
    for diagram in diagrams:
        modules = re.findall(r"\b[\w/]+\.py\b", diagram)
        assert 0 < len(modules) <= DIAGRAM_MODULES
        assert len(modules) == len(set(modules))
        for module in modules:
            assert sum((package / module).is_file() for package in PACKAGES) == 1, module


@pytest.mark.parametrize("root", DRIVERS, ids=lambda root: root.relative_to(BACKENDS).as_posix())
def test_the_drivers_include_what_is_there_and_hashed(root: Path) -> None:
    wrong = []
    for path in sorted(root.rglob("*")):
        if not path.is_file():
            continue
        for said in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE):
            looked = [Path(os.path.normpath(place / said)) for place in (path.parent, *DRIVERS[root])]
            file = next((file for file in looked if file.is_file()), None)
            if file is None or not any(file.is_relative_to(hashed) for hashed in HASHED):
                wrong.append(f"{path.relative_to(BACKENDS)} includes {said}")
    assert wrong == []


def imported(path: Path) -> Iterator[Path]:
    """The modules of ours that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.startswith("kernelwright_backends."):
                place = ROOT / "backends" / name.replace(".", "/")
                file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
                if file.is_file():
                    yield file


REWRITERS = {
    "cuda": (cuda, ("cuda/cpu/frontend/sources.py", "cuda/cpu/toolchain/symbols.py", "cuda/cpu/report/*.py")),
    "ascendc": (
        ascendc,
        ("ascendc/cpu/rewrite.py", "ascendc/cpu/report.py", "ascendc/cpu/ascendc_cpu_entry_stub.py"),
    ),
}


@pytest.mark.parametrize("dialect", REWRITERS)
def test_the_rewriters_key_covers_what_the_rewriter_is_made_of(dialect: str) -> None:
    """What only reads, keeps or names things decides nothing of the text that comes out."""
    prebuilt, roots = REWRITERS[dialect]
    neutral = tuple(BACKENDS / name for name in ("core", "interfaces", "storage", "untrusted", "display"))
    waiting = [file for root in roots for file in sorted(BACKENDS.glob(root))]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen and path.parent not in neutral:
            seen.add(path)
            waiting += imported(path)
    assert seen - set(prebuilt.code_of_rewriting()) == set()


@pytest.mark.parametrize("dialect", REWRITERS)
def test_a_change_of_a_module_below_both_dialects_changes_their_keys(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = REWRITERS[dialect][0].code_of_rewriting()
    texts = {file: file.read_bytes() for file in files}
    monkeypatch.setattr(Path, "read_bytes", lambda file: texts[file])
    before = rewriter_key.rewriter_hash.__wrapped__(files)
    for file in sorted((BACKENDS / "host").glob("*.py")):
        with monkeypatch.context() as changed:
            changed.setitem(texts, file, texts[file] + b"\n")
            assert rewriter_key.rewriter_hash.__wrapped__(files) != before, file
    assert rewriter_key.rewriter_hash.__wrapped__(files) == before
