"""What is built once for all candidates: the driver, and the precompiled header of `kernel_operator.h`."""

import asyncio
import re
from functools import cache
from pathlib import Path

from kernelwright_backends.host.gxx import WARNINGS, X86_FLAGS, Compiler
from kernelwright_backends.host.precompiling import precompile
from kernelwright_backends.host.rewriter_key import rewriter_files
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.storage.build_once import build_program, make_once, make_once_confined
from kernelwright_backends.storage.content_key import content_key
from kernelwright_backends.storage.folders import cache_folder

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
LAST = INCLUDE / "kernelwright" / "last"
"""Headers that are used only where neither the project nor anybody else has one of that name."""
RUNTIME = HERE / "runtime"
_BACKENDS = HERE.parents[1]
# JSON, element types and fibers are the same for both dialects.
_HOST_RUNTIME = _BACKENDS / "host" / "runtime"

CANDIDATE_FLAGS = (
    "-O1", "-g1", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-fexcess-precision=16", "-ffp-contract=off",
    "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", *WARNINGS, "-pipe",
)  # fmt: skip
# Elements go through tight loops: these are worth a real optimiser.
_DRIVER_FLAGS = (
    "-std=c++20",
    "-O3",
    "-g1",
    "-fPIE",
    "-w",
    "-pipe",
    "-ffp-contract=off",
    "-fno-trapping-math",
    "-fno-math-errno",
)
PRELUDE = '#include "kernel_operator.h"\n'


# What the candidate takes of the host's memory is noted on the way.
WRAPPED_FUNCTIONS = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free"))


def candidate_flags(compiler: Compiler) -> tuple[str, ...]:
    return (*CANDIDATE_FLAGS, *(X86_FLAGS if compiler.is_x86 else ()))


def _driver_flags(compiler: Compiler) -> tuple[str, ...]:
    wide = ("-mavx2", *X86_FLAGS) if compiler.is_x86 else ()
    return (*_DRIVER_FLAGS, *wide)


@cache
def runtime_names() -> frozenset[str]:
    """The functions of the runtime that our headers declare, in C's spelling."""
    texts = (file.read_text(encoding="utf-8") for file in INCLUDE.rglob("*") if file.is_file())
    return frozenset(name for text in texts for name in re.findall(r"\bkw_\w+(?=\s*\()", text))


@cache
def reserved_names() -> frozenset[str]:
    """Those of them that the driver defines: no object may have them of its own."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(RUNTIME.rglob("*.cpp"))]
    defined = {name for text in texts for name in re.findall(r"\b(kw_\w+)\s*\([^;]*?\)\s*\{", text)}
    return runtime_names() & defined


@cache
def function_templates() -> frozenset[str]:
    """The functions of the interface that take template arguments."""
    names: set[str] = set()
    for file in (INCLUDE / "kernelwright" / "ascendc").glob("*.h"):
        text = file.read_text(encoding="utf-8")
        names.update(re.findall(r"\btemplate <[^;{}()]*>[\s\\]*\w+(?:<\w+>)? ([A-Z]\w*)\(", text))
        names.update(re.findall(r"^KW_\w+\(([A-Z]\w*)[,)]", text, re.MULTILINE))
    return frozenset(names)


@cache
def declared_types() -> frozenset[str]:
    """The types that our headers declare."""
    texts = (file.read_text(encoding="utf-8") for file in INCLUDE.rglob("*.h"))
    return frozenset(
        name
        for text in texts
        for name in re.findall(r"\b(?:(?:struct|class|using)\s+|BEGIN_TILING_DATA_DEF\()(\w+)", text)
    )


@cache
def header_hash() -> str:
    """Of every header that a candidate may include from us."""
    files = (file for file in sorted(INCLUDE.rglob("*")) if file.is_file())
    return content_key(((str(file.relative_to(INCLUDE)), file.read_bytes()) for file in files), digits=16)


@cache
def runtime_hash() -> str:
    files = [
        INCLUDE / "kernelwright" / "ascend_abi.h",
        *(file for root in (RUNTIME, _HOST_RUNTIME) for file in sorted(root.rglob("*")) if file.is_file()),
    ]
    named = ((file.relative_to(_BACKENDS).as_posix(), file.read_bytes()) for file in files)
    return content_key(named, digits=16)


def code_of_rewriting() -> tuple[Path, ...]:
    """The modules that decide what a candidate becomes, wherever they lie."""
    ascendc = HERE.parent
    return rewriter_files(
        HERE, ascendc / "operator_project", ascendc / "operator_bundle", ascendc / "syntax.py"
    )


def folder(*parts: str) -> Path:
    return cache_folder("ascendc-cpu", *parts)


def include_flags() -> tuple[str, ...]:
    return ("-isystem", str(INCLUDE), "-idirafter", str(LAST))


def build_driver(compiler: Compiler) -> Path:
    """The native runner, compiled where the cache does not hold it yet (half a minute on one core).

    Raises:
        BuildError: our own sources do not compile here.
    """

    def make(temporary: Path) -> None:
        command = [str(compiler.path), *_driver_flags(compiler), "-iquote", str(_BACKENDS)]
        sources = (file for root in (RUNTIME, _HOST_RUNTIME) for file in sorted(root.rglob("*.cpp")))
        build_program(temporary, command, sources)

    return make_once(folder("driver") / f"{compiler.version}-{runtime_hash()}", make)


async def precompiled_header(compiler: Compiler, flags: tuple[str, ...], confinement: Confinement) -> Path:
    """A folder with `prelude.h` and its precompiled form for exactly these flags, the user's macros among them. Made by a confined
    compiler.

    Raises:
        BuildError: our own headers do not compile here, with these macros.
        ConfinementError: nothing here can confine the compiler.
    """
    key = content_key(compiler.version, header_hash(), PRELUDE, flags, digits=20)

    async def make(temporary: Path) -> None:
        argv = [str(compiler.path), *flags, *include_flags()]
        await precompile(argv, PRELUDE, temporary, [INCLUDE], confinement)

    return await make_once_confined(folder("headers") / key, make)


async def prepare_all(
    compiler: Compiler, flags: tuple[str, ...], confinement: Confinement | None = None
) -> None:
    """Build what is slow ahead of the first candidate; the header only where something can confine its compiler."""
    await asyncio.to_thread(build_driver, compiler)
    if confinement is not None:
        await precompiled_header(compiler, flags, confinement)


__all__ = [
    "WRAPPED_FUNCTIONS",
    "build_driver",
    "candidate_flags",
    "folder",
    "header_hash",
    "include_flags",
    "precompiled_header",
    "prepare_all",
    "runtime_hash",
]
