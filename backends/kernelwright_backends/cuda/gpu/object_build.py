"""A candidate made into an object for a GPU by nvcc, kept until it or a header of its changes. No GPU is needed for it."""

import asyncio
import hashlib
import os
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import finding
from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cpu.analysis.inline_assembly import host_assembly
from kernelwright_backends.cuda.cpu.frontend.parsing import parse
from kernelwright_backends.cuda.gpu import operators
from kernelwright_backends.cuda.nvcc import phases
from kernelwright_backends.cuda.nvcc import toolkit as tools
from kernelwright_backends.cuda.nvcc.dependencies import headers_read, unchanged
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import Texts, demangler, nvcc_findings, resources_of
from kernelwright_backends.cuda.nvcc.nvcc_entry_stub import entry_stub, program_stub
from kernelwright_backends.cuda.nvcc.second_opinion import Unit, take_over
from kernelwright_backends.host.compile_flags import refusal
from kernelwright_backends.host.compiling import EXPORTS, OF_THE_MOMENT, stopped
from kernelwright_backends.host.elf import ElfError, foreign_initialisers, read_symbols
from kernelwright_backends.interfaces.build import (
    BuildContext,
    BuildResult,
    CompileOptions,
    EntryCall,
    Symbols,
)
from kernelwright_backends.interfaces.confinement import Completed, Confinement, Limits
from kernelwright_backends.storage.build_cache import RECORD_BYTES, keep_result, kept_result, making
from kernelwright_backends.storage.folders import cache_folder, private_folder, read_own, write_private
from kernelwright_backends.syntax.program_main import is_program_main
from kernelwright_backends.syntax.text import Lines, walk
from kernelwright_backends.untrusted.handover import fresh_output

_LIMITS = Limits(time_s=120.0, memory_mb=8192, processes=256, output_bytes=8 << 20)
_FLAGS = (
    "-O1", "-lineinfo", "-Xptxas", "-v", "-cudart", "none",
    "-Xcompiler", "-fPIC,-fvisibility=hidden,-fno-gnu-unique",
)  # fmt: skip
_OBJECT, _HEADERS = "candidate.so", "includes.json"
_DEPENDENCIES = "candidate.d"
# Entries that older versions kept: sandboxes could write where those lie.
_LAYOUT = "3"
# Of a text that includes nothing.
_NOTHING = "nothing"
# What nvcc's own code for registering and launching kernels needs and runs; no candidate spells it.
_REGISTRATION = re.compile(
    r"__cuda(Register\w+|Unregister\w+|InitModule|GetKernel|LaunchKernel\w*|P(ush|op)CallConfiguration)"
)
_REGISTERS = re.compile(r"_ZL\d+__sti____cudaRegisterAllv|_ZL\d+__nv_\w+")


@dataclass(frozen=True)
class CudaGpuBuild(BuildContext):
    """What a built candidate needs to be run."""

    texts: Texts
    program: bool


class _Noted(Model):
    """What a kept object was made of, beside its own text."""

    headers: dict[str, str]
    """path -> SHA-256"""
    around: str
    """`Unit.around`; empty: it could not be told, and the object is made anew each time"""


async def build(
    text: str,
    path: Path,
    index: SourceIndex,
    call: EntryCall | None,
    target: Target,
    confinement: Confinement,
    options: CompileOptions,
) -> BuildResult:
    """See `Toolchain.build`."""
    path = Path(path).resolve()
    try:
        toolkit = await asyncio.to_thread(tools.find_toolkit)
    except tools.ToolkitMissing as missing:
        return BuildResult(object=None, findings=(finding("ENV_COMPILER", str(missing), str(path)),))
    if said := refusal(options.flags, (path.parent, *options.include)):
        return BuildResult(object=None, findings=(finding("ENV_CONFIGURATION", said, str(path)),))
    content = text.encode()
    root = parse(content).root_node
    refused = tuple(
        finding("HACK_ASSEMBLY", "assembly in host code; remove it, or mark the function __device__", str(path), at)
        for at in host_assembly(root, Lines(content))
    )  # fmt: skip
    if refused:
        return BuildResult(object=None, findings=refused)
    mains = [n for n in walk(root) if n.type == "function_declarator" and is_program_main(n)]
    stub = entry_stub(call) if call else program_stub(_parameters(mains[0])) if mains else ""
    flags = (*_FLAGS, *(("-Dmain=kernelwright_user_main",) if mains else ()))
    unit = Unit(toolkit, content, path, index, target.architecture, options)
    texts = Texts(path, content, index, index.find(call.entry) if call else None, unit.folders)
    context = CudaGpuBuild(texts, program=call is None and bool(mains))
    kept = cache_folder("cuda-gpu", "objects") / unit.key(_LAYOUT, *flags, stub)
    # A header that appears before another one in the search is read instead of it: what was read does not tell of it.
    around = await asyncio.to_thread(unit.around) if index.includes else _NOTHING
    if (saved := _saved(kept, around)) is not None:
        return saved.model_copy(update={"context": context})
    with making(kept) as own:
        result = await _compile(unit, flags, texts, stub, own, confinement)
        dependencies = own / _DEPENDENCIES
        # Who gave up before he named the headers that he read may say something else of the next.
        named = dependencies.is_file() or not index.includes
        if result.object is not None or (named and not any(f.code in OF_THE_MOMENT for f in result.findings)):
            headers = headers_read(dependencies, path, unit.own)
            reported = (result.symbols or Symbols()).model_copy(update={"includes": tuple(headers)})
            result = result.model_copy(update={"symbols": reported})
            result = _keep(result, headers, around, own, kept)
    return result.model_copy(update={"context": context})


def _saved(kept: Path, around: str | None) -> BuildResult | None:
    """What an earlier build left, if the user's headers are what they were, and so is what lies around them."""
    if around is None or (saved := kept_result(kept)) is None:
        return None
    try:
        noted = _Noted.model_validate_json(read_own(kept / _HEADERS, RECORD_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return saved if noted.around == around and unchanged(noted.headers) else None


def _keep(
    result: BuildResult, headers: dict[str, str], around: str | None, own: Path, kept: Path
) -> BuildResult:
    """Put the object and its record where the next who asks finds them, both or neither; nothing else is kept."""
    folder = private_folder(own / "kept")
    if result.object is not None:
        result = result.model_copy(update={"object": result.object.rename(folder / _OBJECT)})
    write_private(folder / _HEADERS, _Noted(headers=headers, around=around or "").model_dump_json().encode())
    if os.path.lexists(kept):
        kept.rename(own / "replaced")
    return keep_result(result, folder, kept)


async def _compile(
    unit: Unit, flags: tuple[str, ...], texts: Texts, stub: str, own: Path, confinement: Confinement
) -> BuildResult:
    started = time.perf_counter()
    completed = await _run_nvcc(unit, flags, stub, own, confinement)
    elapsed = {"compile": time.perf_counter() - started}
    failure = stopped(completed, texts.main, _LIMITS)
    if failure is not None:
        return BuildResult(object=None, findings=(failure,), elapsed_s=elapsed)
    made = own / _OBJECT
    output = (completed.stdout + completed.stderr).decode("utf-8", "replace")
    demangled = await asyncio.to_thread(demangler, output)
    found = nvcc_findings(output, texts, demangled)
    if completed.status or not made.is_file():
        if not any(f.severity == "error" for f in found):
            words = output.strip().splitlines()
            said = f"nvcc failed: {words[-1] if words else 'no message'}"
            found.append(finding("COMPILE_ERROR", said, str(texts.main)))
        return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
    resources = {name: dict(counts) for name, counts in resources_of(output, demangled).items()}
    if not stub:
        symbols = Symbols(kernels=tuple(resources))
        return BuildResult(
            object=None, findings=tuple(found), symbols=symbols, resources=resources, elapsed_s=elapsed
        )
    try:
        elf = read_symbols(made.read_bytes())
    except ElfError as error:
        found.append(finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(texts.main)))
        return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
    symbols = Symbols(
        undefined=tuple(s for s in elf.undefined if not _REGISTRATION.fullmatch(s.split("@", 1)[0])),
        exported=elf.exported,
        libraries=elf.libraries,
        initialisers=tuple(s for s in foreign_initialisers(elf) if not _REGISTERS.fullmatch(s)),
        kernels=tuple(resources),
    )
    missing = [s for s in symbols.undefined if _of_candidate(s)]
    if missing:
        spelled_out = await asyncio.to_thread(demangler, "\n".join(missing))
        reported = "\n".join(f"undefined reference to '{symbol}'" for symbol in missing)
        found += nvcc_findings(reported, texts, spelled_out)
        return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
    return BuildResult(
        object=made, findings=tuple(found), symbols=symbols, resources=resources, elapsed_s=elapsed
    )


async def _run_nvcc(
    unit: Unit, flags: tuple[str, ...], stub: str, own: Path, confinement: Confinement
) -> Completed:
    """nvcc, or its steps side by side, on the candidate and the code that calls it; what they make is taken over to `own`."""
    source, exports, named = own / "candidate.cu", own / "exports.map", own / "named"
    text = unit.text() + stub.encode()
    write_private(source, text)
    write_private(exports, EXPORTS)
    operators.write_named(named, text)
    links = ["-shared", "-Xlinker", f"--version-script={exports}"] if stub else ["-c"]
    identity = f"_{hashlib.sha256(text).hexdigest()[:8]}_12_candidate_cu_{secrets.token_hex(4)}"
    with fresh_output() as out:
        argv = [
            str(unit.toolkit.nvcc), "-isystem", str(named), *unit.flags, *flags, *(f"-I{folder}" for folder in unit.folders),
            *links, str(source), "-o", str(out.inside(_OBJECT)),
        ]  # fmt: skip
        # The plan names files of the folder in which it was made, so that its steps work there too.
        planned = await unit.run([*argv, "--dryrun"], own, out, confinement, limits=_LIMITS)
        dependencies = out.inside(_DEPENDENCIES)
        steps = phases.script(planned.stderr.decode("utf-8", "replace"), identity, dependencies)
        if steps is not None:
            completed = await unit.run(["sh"], own, out, confinement, steps.encode(), _LIMITS)
        else:
            argv += ["-MD", "-MF", str(dependencies)]
            completed = await unit.run(argv, own, out, confinement, limits=_LIMITS)
        take_over(out, own / _OBJECT, own / _DEPENDENCIES)
    return completed


def _parameters(main: Any) -> int:
    listed = main.child_by_field_name("parameters")
    named = listed.named_children if listed is not None else []
    return len([p for p in named if p.type == "parameter_declaration" and p.text != b"void"])


def _of_candidate(symbol: str) -> bool:
    """A C++ function that the candidate declares and nobody defines: the libraries' own names stay out."""
    libraries = ("_ZS", "_ZNS", "_ZNKS", "_ZT", "_Znw", "_Zna", "_Zdl", "_Zda", "_ZNK2at", "_ZN2at", "_ZN3c10", "_ZNK3c10",
                 "_ZN5torch", "_ZN10__cxxabi")  # fmt: skip
    return symbol.startswith("_Z") and not symbol.startswith(libraries)
