"""One translation unit, from its rewritten text to an object."""

import asyncio
from pathlib import Path

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.flags import (
    HOST_SUFFIXES,
    WITHOUT_PRELUDE,
)
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.cuda.cpu.report.gxx_diagnostics import (
    compiler_findings,
    plain_findings,
)
from kernelwright_backends.cuda.cpu.report.uninstantiated import without_bodies
from kernelwright_backends.cuda.cpu.toolchain.compilation import Compilation
from kernelwright_backends.cuda.cpu.toolchain.extension_macros import missed_by_macros
from kernelwright_backends.cuda.cpu.toolchain.retries import with_retries
from kernelwright_backends.host.compiling import (
    COMPILE_LIMITS,
    OF_WHAT_NOBODY_RUNS,
    compile_into,
    defines,
    no_disk_space,
    stopped,
)
from kernelwright_backends.host.gxx_diagnostics import UNPLACED, placed, refused_includes
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.confinement import Completed
from kernelwright_backends.storage.disk_space import says_no_disk_space
from kernelwright_backends.storage.folders import private_folder

_MOST_UNFINISHED = 3  # compilations that find further templates which nobody instantiates


async def compile_unit(
    compilation: Compilation, sources: CudaSources, stub: str, work: Path, *, text_only: bool = False
) -> tuple[Path | None, list[Finding]]:
    """The object of one translation unit; None with the findings that say why there is none.

    Args:
        work: where sources and results lie; no compiler may write there.
        text_only: find errors, and make no code.
    """
    options, places, flags = compilation.options, compilation.places, compilation.flags
    private_folder(work)
    sources.write(work, stub)
    unit, made, dependencies = work / "candidate.cpp", work / "candidate.o", work / "candidate.d"
    includes = sources.include_flags
    shown = await asyncio.to_thread(lambda: sources.shown)
    readable = [work, tools.INCLUDE, tools.SHIM, compilation.header, *shown]
    prelude = ["-include", str(compilation.header / "prelude.h")]
    if sources.main.suffix in HOST_SUFFIXES and not sources.says_what_a_device_does:
        prelude = [*WITHOUT_PRELUDE]  # the host's alone: nothing is included before it
    elif sources.main.suffix == ".c":
        prelude = ["-x", "c", *WITHOUT_PRELUDE]
        flags = tuple("-std=gnu11" if flag.startswith("-std=") else flag for flag in flags)
    argv = [
        str(compilation.compiler.path), *flags, *defines(options, sources.assumed), *options.flags, *prelude,
        "-iquote", str(sources.main.parent), *includes, *tools.include_flags(),
        "-c", str(unit), *(["-fsyntax-only"] if text_only else []),
    ]  # fmt: skip
    in_full = compilation.runs or text_only or not sources.all_executed
    limits = COMPILE_LIMITS if in_full else OF_WHAT_NOBODY_RUNS

    async def compiled() -> Completed:
        return await compile_into(
            made,
            compilation.confinement,
            [*argv, "-fdiagnostics-format=json"],
            readable,
            limits,
            dependencies,
        )

    # No -fmax-errors with it: g++ then stops without having written anything.
    completed = await with_retries(argv, compiled)
    failure = stopped(completed, sources.main, limits)
    if failure is not None:
        return None, [failure]
    stderr = completed.stderr.decode("utf-8", "replace")
    found = refused_includes(compiler_findings(stderr, places), sources)
    if not completed.status:
        return made, found
    if any(UNPLACED in item.data for item in found):
        # Who asked for a template of ours is said in plain text alone.
        words = [*argv, "-fsyntax-only", "-fno-diagnostics-show-caret"]
        plain = await compile_into(made, compilation.confinement, words, readable)
        found = placed(found, plain.stderr.decode("utf-8", "replace"), places)
    found = [_with_remedy(item, options) for item in found]
    finished = without_bodies(sources, found)
    for _ in range(_MOST_UNFINISHED):
        if finished is None:
            break
        finished.write(work, stub)
        again = await compiled()
        said = compiler_findings(again.stderr.decode("utf-8", "replace"), places)
        if not again.status:
            return made, said
        finished = without_bodies(finished, said)
    if not found and says_no_disk_space(stderr):
        return None, [no_disk_space(sources.main)]
    if not found:  # more words than are read
        completed = await compile_into(
            made, compilation.confinement, [*argv, "-fmax-errors=5", "-fno-diagnostics-show-caret"], readable
        )
        stderr = completed.stderr.decode("utf-8", "replace")
        found = refused_includes(plain_findings(stderr, places), sources)
    if not found:
        words = stderr.strip().splitlines()
        message = f"g++ failed: {words[-1] if words else 'no message'}"
        found = [finding("COMPILE_ERROR", message, str(sources.main))]
    return None, found


def _with_remedy(item: Finding, options: CompileOptions) -> Finding:
    """An error with what PyTorch's builds take away, where that is what it misses."""
    remedy = missed_by_macros(item.message, options.define) if item.code == "COMPILE_ERROR" else None
    if remedy is None:
        return item
    return item.model_copy(update={"message": f"{item.message}; {remedy}", "related": ()})
