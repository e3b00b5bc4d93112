"""From the objects of a candidate to the one that the driver loads, and what is known of it."""

import asyncio
import time
from pathlib import Path

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.flags import (
    WRAPPED_FUNCTIONS,
)
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.cuda.cpu.toolchain.compilation import Compilation
from kernelwright_backends.cuda.cpu.toolchain.symbols import symbols_of, undefined
from kernelwright_backends.host.compiling import (
    EXPORTS,
    compile_into,
    no_disk_space,
    stopped,
)
from kernelwright_backends.host.elf import ElfError
from kernelwright_backends.host.gxx_diagnostics import linker_findings
from kernelwright_backends.host.linking import unresolved
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.storage.disk_space import says_no_disk_space
from kernelwright_backends.storage.folders import write_private


async def link(
    compilation: Compilation,
    sources: CudaSources,
    objects: list[str],
    read: tuple[str, ...],
    work: Path,
    found: list[Finding],
    elapsed: dict[str, float],
) -> BuildResult:
    """The linked object with its symbols, or the findings that say why there is none.

    Args:
        objects: of the translation units.
        read: headers that were read.
        work: where the object is put.
        found, elapsed: of the steps before; those of this one are added.
    """
    places, readable = compilation.places, [work]
    shared, exports = work / "candidate.so", work / "exports.map"
    # Even what the standard library's templates make visible stays inside: the object exports its entry alone.
    write_private(exports, EXPORTS)
    started = time.perf_counter()
    linker = [compilation.compiler.linker] if compilation.compiler.linker else []
    if sources.has_device_variables:
        guard = str(await asyncio.to_thread(tools.build_guard, compilation.compiler))
        objects = [guard, *objects, guard]
        readable.append(Path(guard))
    argv = [
        str(compilation.compiler.path),
        "-shared",
        *linker,
        "-Wl,-z,now",
        *WRAPPED_FUNCTIONS,
        f"-Wl,--version-script={exports}",
        *objects,
    ]
    completed = await compile_into(shared, compilation.confinement, argv, readable)
    elapsed["link"] = time.perf_counter() - started
    failure = stopped(completed, sources.main)
    if failure is not None:
        return BuildResult(object=None, findings=(*found, failure), elapsed_s=elapsed)
    stderr = completed.stderr.decode("utf-8", "replace")
    if completed.status and says_no_disk_space(stderr):
        return BuildResult(object=None, findings=(no_disk_space(sources.main),), elapsed_s=elapsed)
    if completed.status or not shared.is_file():
        found += linker_findings(stderr, places)
        if not any(f.code == "COMPILE_LINK" for f in found):
            words = stderr.strip().splitlines()
            found.append(
                finding("COMPILE_LINK", words[-1] if words else "the linker failed", str(sources.main))
            )
        return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
    for linked in objects:
        if Path(linked).is_relative_to(work):
            Path(linked).unlink(missing_ok=True)
    try:
        symbols = symbols_of(shared.read_bytes(), read)
    except ElfError as error:
        found.append(finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(sources.main)))
        return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
    missing = unresolved(symbols)
    if places.entry is None:
        # A program's host code may call what the C library has; nobody else will say what it has not.
        driver = await asyncio.to_thread(tools.build_driver, compilation.compiler)
        provided = await asyncio.to_thread(tools.provided_names, compilation.compiler, driver)
        missing = tuple(name for name in symbols.needed if name.split("@", 1)[0] not in provided)
    if missing:
        found += [undefined(symbol, sources, places) for symbol in missing]
        return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
    return BuildResult(object=shared, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
