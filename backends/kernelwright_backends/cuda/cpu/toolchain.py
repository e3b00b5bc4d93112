"""CUDA candidates on the CPU: built with g++, run by the native driver, every access checked."""

import asyncio
import hashlib
import json
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright_backends.cuda import cost, nvcc
from kernelwright_backends.cuda.cpu import compiler as tools
from kernelwright_backends.cuda.cpu import tracing
from kernelwright_backends.cuda.cpu.answer import (
    findings_of,
    host_variables,
    located,
    unwritten_locals,
    writers_of,
)
from kernelwright_backends.cuda.cpu.assembly import host_assembly
from kernelwright_backends.cuda.cpu.diagnostics import (
    Places,
    compiler_findings,
    linker_findings,
    plain_findings,
)
from kernelwright_backends.cuda.cpu.elf import ElfError, foreign_initialisers, read_symbols
from kernelwright_backends.cuda.cpu.siblings import add_siblings
from kernelwright_backends.cuda.cpu.sources import Sources, collect
from kernelwright_backends.cuda.cpu.thunk import entry_thunk, program_thunk
from kernelwright_backends.cuda.cpu.unsupported import explain, feature_of
from kernelwright_backends.finding import Finding, Severity, finding
from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.room import REMEDY, says_no_room, take_room
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import (
    Activity,
    ArgumentValue,
    BuildResult,
    CallResult,
    CompileOptions,
    Completed,
    Confinement,
    CostEstimate,
    EntryCall,
    Limits,
    RunRequest,
    RunResult,
    Spot,
    Symbols,
    TensorData,
)

# Generous: on a machine that is busy with other work a compiler takes many times as long.
_COMPILE_LIMITS = Limits(time_s=180.0, memory_mb=4096, output_bytes=8 << 20)
_LOG_BYTES = 64 << 10
_MOST_LINKS = 5000
# After the trace is there.
_NVCC_PATIENCE_S = 2.0


class CudaCpuToolchain:
    """`Toolchain` of `cuda:*@cpu`. One object serves any number of candidates, also at the same time."""

    def describe(self) -> dict[str, str]:
        """Compiler and runtime that answer here; `{}` without a compiler."""
        try:
            compiler = tools.find_compiler()
        except tools.CompilerMissing:
            return {}
        return {
            "compiler": f"g++ {compiler.version}",
            "machine": compiler.machine,
            "headers": tools.header_hash(),
            "runtime": tools.runtime_hash(),
        }

    async def prepare(self, confinement: Confinement | None = None) -> None:
        """Build the driver and the precompiled headers ahead, if the cache does not hold them.

        Only our own sources are compiled, so nothing needs the confinement.

        Raises:
            CompilerMissing: there is no g++ here.
            BuildError: our own sources do not compile here.
        """
        compiler = tools.find_compiler()
        await asyncio.to_thread(tools.remove_unused)
        await tools.prepare_all(compiler, (*compiler.flags, "-std=c++17"))

    async def build(
        self,
        text: str,
        path: Path,
        index: SourceIndex,
        call: EntryCall | None,
        target: Target,
        confinement: Confinement,
        options: CompileOptions = CompileOptions(),
    ) -> BuildResult:
        """See `Toolchain.build`. `text` is what is compiled; `path` is where messages say it stands."""
        started = time.perf_counter()
        try:
            compiler = tools.find_compiler()
        except tools.CompilerMissing as missing:
            return BuildResult(object=None, findings=(finding("ENV_COMPILER", str(missing), str(path)),))
        path = Path(path).resolve()
        sources = collect(path, text.encode(), options.include)
        if call is None and sources.has_main:
            add_siblings(sources)
        # A program may read a clock in assembly; an entry's host code has no use for any.
        refused = (*(_host_assembly(sources) if call is not None else ()), *_unsupported(sources))
        if refused:
            return BuildResult(object=None, findings=refused)
        breaches = tuple(
            finding("COMPILE_ERROR", m.message, str(p), m.range)
            for unit in sources.units
            for p, m in unit.misplaced
        )
        if breaches:
            return BuildResult(object=None, findings=breaches)
        flags = (*compiler.flags, f"-std={options.std or sources.standard}", *_architecture(target))
        thunk = entry_thunk(call) if call else program_thunk() if sources.has_main else ""
        rewritten_s = time.perf_counter() - started
        key = _key(compiler, flags, options, sources, thunk)
        work = tools.folder("objects") / key
        places = Places(path, sources.every_file, index.find(call.entry) if call else None)
        kept = work / "build.json"
        if kept.is_file():
            tools.touch(work)
            saved = json.loads(kept.read_text(encoding="utf-8"))
            result = BuildResult.model_validate(saved)
            return result.model_copy(
                update={"cached": True, "context": _context(sources, call, index, options, text)}
            )
        started = time.perf_counter()
        prelude = tools.prelude_of(sources.all_text)
        header = await asyncio.to_thread(
            tools.precompiled_header, compiler, prelude, (*flags, *_defines(options))
        )
        await asyncio.to_thread(tools.build_driver, compiler)
        prepared_s = time.perf_counter() - started
        temporary = work.with_name(f".{key}.{secrets.token_hex(4)}")
        temporary.mkdir(parents=True)
        try:
            result = await self._compile(
                compiler, flags, options, sources, thunk, temporary, header, places, confinement
            )
            result = result.model_copy(
                update={"elapsed_s": {"rewrite": rewritten_s, "prepare": prepared_s, **result.elapsed_s}}
            )
            if result.object is not None or not any(
                f.code in ("COMPILE_TIME", "COMPILE_MEMORY", "ENV_DISK") for f in result.findings
            ):
                moved = result.model_copy(
                    update={"object": work / result.object.name if result.object is not None else None}
                )
                (temporary / "build.json").write_text(moved.model_dump_json(), encoding="utf-8")
                try:
                    temporary.rename(work)
                except OSError:  # another process was as quick
                    shutil.rmtree(temporary, ignore_errors=True)
                result = moved
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return result.model_copy(update={"context": _context(sources, call, index, options, text)})

    async def _compile(
        self,
        compiler: tools.Compiler,
        flags: tuple[str, ...],
        options: CompileOptions,
        sources: Sources,
        thunk: str,
        work: Path,
        header: Path,
        places: Places,
        confinement: Confinement,
    ) -> BuildResult:
        elapsed: dict[str, float] = {}
        found: list[Finding] = []
        objects: list[str] = []
        includes: set[str] = set()
        started = time.perf_counter()
        if not sources.others:
            flags = (*flags, *tools.SINGLE_UNIT_FLAGS)
        for number, unit in enumerate(sources.units):
            folder = work / f"unit{number}" if number else work
            made, unit_findings = await self._compile_unit(
                compiler,
                flags,
                options,
                unit,
                thunk if number == 0 else "",
                folder,
                header,
                places,
                confinement,
            )
            found += unit_findings
            elapsed["compile"] = time.perf_counter() - started
            if made is None:
                return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
            objects.append(str(made))
            includes.update(_includes(folder / "candidate.d", unit))
        read = tuple(sorted(includes))
        readable = [work]
        if not thunk:
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed,
                               symbols=Symbols(includes=read))  # fmt: skip
        shared, exports = work / "candidate.so", work / "exports.map"
        # Even what the standard library's templates make visible stays inside: the object exports its entry alone.
        exports.write_text(
            "{ global: kernelwright_entry; kernelwright_main; local: *; };\n", encoding="utf-8"
        )
        started = time.perf_counter()
        linker = [compiler.linker] if compiler.linker else []
        if sources.has_device_variables:
            guard = str(await asyncio.to_thread(tools.build_guard, compiler))
            objects = [guard, *objects, guard]
            readable.append(Path(guard))
        argv = [
            str(compiler.path),
            "-shared",
            *linker,
            "-Wl,-z,now",
            *tools.WRAPPED_FUNCTIONS,
            f"-Wl,--version-script={exports}",
            *objects,
            "-o",
            str(shared),
        ]
        completed = await _confined(confinement, argv, readable, work)
        elapsed["link"] = time.perf_counter() - started
        failure = _stopped(completed, sources.main)
        if failure is not None:
            return BuildResult(object=None, findings=(*found, failure), elapsed_s=elapsed)
        stderr = completed.stderr.decode("utf-8", "replace")
        if completed.status and says_no_room(stderr):
            return BuildResult(object=None, findings=(_no_room(sources.main),), elapsed_s=elapsed)
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
            symbols = _symbols(shared.read_bytes(), read)
        except ElfError as error:
            found.append(
                finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(sources.main))
            )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        missing = _unresolved(symbols)
        if places.entry is None:
            # A program's host code may call what the C library has; nobody else will say what it has not.
            driver = await asyncio.to_thread(tools.build_driver, compiler)
            provided = await asyncio.to_thread(tools.provided_names, compiler, driver)
            missing = tuple(name for name in symbols.needed if name.split("@", 1)[0] not in provided)
        if missing:
            found += [_undefined(symbol, sources, places) for symbol in missing]
            return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
        return BuildResult(object=shared, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)

    async def _compile_unit(
        self,
        compiler: tools.Compiler,
        flags: tuple[str, ...],
        options: CompileOptions,
        sources: Sources,
        thunk: str,
        work: Path,
        header: Path,
        places: Places,
        confinement: Confinement,
    ) -> tuple[Path | None, list[Finding]]:
        """The object of one translation unit; None with the findings that say why there is none."""
        work.mkdir(parents=True, exist_ok=True)
        sources.write(work, thunk)
        unit, made, dependencies = work / "candidate.cpp", work / "candidate.o", work / "candidate.d"
        includes = [f"-I{folder}" for folder in sources.folders]
        user_folders = {p.parent for p in sources.files} | set(sources.folders)
        readable = [tools.INCLUDE, tools.SHIM, header, *sorted(user_folders)]
        prelude = ["-include", str(header / "prelude.h")]
        if sources.main.suffix in (".cpp", ".cc", ".cxx"):
            prelude = []  # the host's alone: nothing is included before it
        elif sources.main.suffix == ".c":
            prelude = ["-x", "c"]
            flags = tuple("-std=gnu11" if flag.startswith("-std=") else flag for flag in flags)
        argv = [
            str(compiler.path), *flags, *_defines(options), *options.flags, *prelude,
            "-iquote", str(sources.main.parent), *includes, *tools.include_flags(), "-MMD", "-MF", str(dependencies),
            "-c", str(unit), "-o", str(made),
        ]  # fmt: skip
        # No -fmax-errors with it: g++ then stops without having written anything.
        completed = await _confined(confinement, [*argv, "-fdiagnostics-format=json"], readable, work)
        failure = _stopped(completed, sources.main)
        if failure is not None:
            return None, [failure]
        stderr = completed.stderr.decode("utf-8", "replace")
        found = compiler_findings(stderr, places)
        if not completed.status:
            return made, found
        if not found and says_no_room(stderr):
            return None, [_no_room(sources.main)]
        if not found:  # more words than are read
            completed = await _confined(
                confinement, [*argv, "-fmax-errors=5", "-fno-diagnostics-show-caret"], readable, work
            )
            stderr = completed.stderr.decode("utf-8", "replace")
            found = plain_findings(stderr, places)
        if not found:
            words = stderr.strip().splitlines()
            message = f"g++ failed: {words[-1] if words else 'no message'}"
            found = [finding("COMPILE_ERROR", message, str(sources.main))]
        return None, found

    async def run(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """See `Toolchain.run`.

        Raises:
            ValueError: `built` holds no object.
        """
        if built.object is None:
            raise ValueError("there is no object to run: the build failed")
        if request.mode == "trace":
            return await self._trace(built, request, target, confinement)
        if request.calls:
            return await self._run(built, request, confinement, built.object, _requested_calls(request))
        return await self._run_program(built, request, confinement, built.object)

    async def _trace(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """Sampled blocks of full-size launches; the values of integers are guessed, and guessed low if that fails."""
        chip = cost.find_chip(target) or cost.find_chip(Target(dialect="cuda", chip="h200", where="cpu"))
        assert chip is not None
        options: CompileOptions = built.context["options"]
        sources: Sources = built.context["sources"]
        asked = asyncio.create_task(
            nvcc.opinion(
                built.context["text"].encode(),
                sources.main,
                built.context["index"],
                target,
                options,
                confinement,
            )
        )
        try:
            return await self._traced(built, request, confinement, chip, asked)
        finally:
            # Nobody waits long for a second opinion.
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

    async def _traced(
        self,
        built: BuildResult,
        request: RunRequest,
        confinement: Confinement,
        chip: cost.Chip,
        asked: "asyncio.Task[nvcc.Opinion | None]",
    ) -> RunResult:
        traced = await tracing.traced_object(built, confinement)
        for safe in (False, True):
            bounds = [tracing.index_bounds(call, safe=safe) for call in request.calls]
            calls = _traced_calls(request, bounds)
            result = await self._run(built, request, confinement, traced, calls, tracing.chip_request(chip))
            out_of_bounds = any(f.code == "MEM_OUT_OF_BOUNDS" for f in result.findings)
            if not (out_of_bounds and any(bounds)):
                break
        done, _ = await asyncio.wait({asked}, timeout=_NVCC_PATIENCE_S)
        said = asked.result() if done and asked.exception() is None else None
        if said is None:
            return result
        counters = {
            **result.counters,
            "nvcc": said.model_dump(include={"version", "architecture", "kernels"}),
        }
        return result.model_copy(
            update={
                "counters": counters if result.counters else {},
                "findings": (*result.findings, *said.findings),
            }
        )

    async def _run(
        self,
        built: BuildResult,
        request: RunRequest,
        confinement: Confinement,
        loaded: Path,
        requested: tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]],
        chip: dict[str, int] | None = None,
        observed: Mapping[str, Any] | None = None,
    ) -> RunResult:
        sources: Sources = built.context["sources"]
        places = Places(sources.main, sources.every_file, built.context["entry"])
        driver = await asyncio.to_thread(tools.build_driver, tools.find_compiler())
        nonce = secrets.token_hex(16)
        program = built.context["program"]
        calls, provenance, loads = requested
        body = {
            "nonce": nonce,
            "object": str(loaded),
            "mapping": "" if program else str(request.mapping),
            "program": int(program),
            "mode": request.mode,
            "chip": chip,
            "time_s": request.limits.time_s * 0.9,
            "calls": calls,
            "arguments": list(request.arguments),
            "headers": [str(tools.INCLUDE), str(tools.SHIM), "/usr/"],
            **(observed or {}),
        }
        started = time.perf_counter()
        with _stage(request) if program else nullcontext() as stage:
            seen = [path for path in (request.folder, request.root) if path is not None]
            writable = [request.mapping] if not program else [stage.writable] if stage is not None else []
            completed = await confinement.run(
                [str(driver)],
                readable=[driver, loaded.parent, *seen],
                writable=[*writable, Path(observed["observations"])] if observed else writable,
                cwd=stage.start if stage is not None else None,
                stdin=json.dumps(body).encode() + b"\n",
                reply=True,
                limits=request.limits,
            )
        elapsed = time.perf_counter() - started
        log = _shortened(completed.stdout + completed.stderr)
        answer = _answer(completed, nonce)
        if answer is None:
            return _without_answer(completed, request, places, log, elapsed)
        status = answer["status"]
        found = findings_of(answer["findings"], places)
        if chip is None and answer["launches"]:
            found = _with_proven(found, places)
        results = tuple(_call_result(call, places) for call in answer["calls"])
        found += _entry_errors(answer, places, found)
        return RunResult(
            status=status,
            message=answer["message"]
            or answer.get("trace", {}).get("failure", "")
            or answer.get("program_message", ""),
            findings=tuple(found),
            calls=results,
            provenance=provenance,
            writers=writers_of(answer["writers"], places),
            coverage={"launches": answer["launches"], "loaded": loads},
            counters=await tracing.counters_of(
                answer["trace"], loaded, confinement, places, built.context["index"], _elements(request)
            )
            if "trace" in answer
            else {},
            log=log,
            exit_status=answer.get("exit_status"),
            elapsed_s=elapsed,
        )

    async def _run_program(
        self, built: BuildResult, request: RunRequest, confinement: Confinement, loaded: Path
    ) -> RunResult:
        """Run `main`; if all went well once more, its warps and lanes in another order: is what it takes from the device the same?"""
        none: tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]] = ([], {}, {})
        with tempfile.NamedTemporaryFile(prefix="kernelwright-") as kept:
            observed = {"observations": kept.name, "compare": 0, "seed": 0}
            result = await self._run(built, request, confinement, loaded, none, observed=observed)
            if not _may_depend_on_order(result, request):
                return result
            observed |= {"compare": 1, "seed": 1}
            again = await self._run(built, request, confinement, loaded, none, observed=observed)
        new = [f for f in again.findings if f.code == "RACE_ORDER"]
        if not new:
            return result
        # What a lane that takes no part would have given is another value in every order: here it reached the result.
        inactive = [f for f in result.findings if f.code == "SYNC_INACTIVE_LANE"]
        raised = tuple(f.model_copy(update={"severity": Severity.WARNING}) for f in inactive)
        kept_findings = tuple(f for f in result.findings if f not in inactive)
        return result.model_copy(update={"findings": (*kept_findings, *(raised or new))})

    def cost(self, result: RunResult, target: Target, sizes: Mapping[str, Any]) -> CostEstimate:
        """See `Toolchain.cost`."""
        return cost.estimate(result.counters, target)

    def operators_us(self, works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
        """See `Toolchain.operators_us`."""
        return cost.operators_us(works, target)

    def floor_us(self, moved_bytes: float, target: Target) -> float | None:
        """See `Toolchain.floor_us`."""
        return cost.floor_us(moved_bytes, target)


def _with_proven(found: list[Finding], places: Places) -> list[Finding]:
    """What the text proves is told too; of local variables it explains what the run saw at the stores."""
    known = {(f.path, f.line) for f in found if f.code == "MEM_HOST_POINTER"}
    found = [*found, *(f for f in host_variables(places) if (f.path, f.line) not in known)]
    proven = unwritten_locals(places)
    if not proven:
        return found
    return [
        *(f for f in found if f.data.get("space") != "local" or f.code != "INIT_UNINITIALISED_READ"),
        *proven,
    ]


_PERMUTED_S = 2.0


def _may_depend_on_order(result: RunResult, request: RunRequest) -> bool:
    """Is it worth the time to run this program in another order? What is wrong in order needs no second look."""
    wrong = any(f.severity in (Severity.ERROR, Severity.WARNING) for f in result.findings)
    quick = result.elapsed_s < min(_PERMUTED_S, request.limits.time_s / 4)
    return result.status == "ok" and not wrong and quick and bool(result.coverage.get("launches"))


def _no_room(path: Path) -> Finding:
    return finding("ENV_DISK", f"the compiler cannot write: {REMEDY}", str(path))


def _elements(request: RunRequest) -> dict[str, str]:
    """Element types by the name of the tensor."""
    named = [a.tensor for call in request.calls for a in call.arguments if a.tensor is not None]
    returned = [tensor for call in request.calls for tensor in call.returned]
    return {tensor.name: tensor.dtype for tensor in (*named, *returned)}


def _key(
    compiler: tools.Compiler, flags: tuple[str, ...], options: CompileOptions, sources: Sources, thunk: str
) -> str:
    parts = [
        compiler.version,
        tools.header_hash(),
        tools.rewriter_hash(),
        *flags,
        options.model_dump_json(),
        thunk,
    ]
    digest = hashlib.sha256("\0".join(parts).encode())
    for unit in sources.units:
        for path, rewritten in unit.files.items():
            digest.update(str(path).encode() + b"\0" + rewritten.text + b"\0")
    return digest.hexdigest()[:32]


def _context(
    sources: Sources, call: EntryCall | None, index: SourceIndex, options: CompileOptions, text: str
) -> dict[str, Any]:
    return {
        "sources": sources,
        "index": index,
        "entry": index.find(call.entry) if call else None,
        "program": call is None and sources.has_main,
        "options": options,
        "text": text,
    }


def _architecture(target: Target) -> tuple[str, ...]:
    """What tells the candidate its architecture, where it is not the headers' own default."""
    number = "".join(c for c in target.architecture if c.isdigit())
    return () if number in ("", "90") else (f"-D__CUDA_ARCH__={number}0",)


def _defines(options: CompileOptions) -> tuple[str, ...]:
    return tuple(f"-D{define}" for define in options.define)


def _unsupported(sources: Sources) -> tuple[Finding, ...]:
    return tuple(
        finding("UNSUPPORTED_CUDA", explain(u.feature), str(path), u.range,
                data={"feature": u.feature})
        for path, rewritten in sources.every_file.items()
        for u in rewritten.unsupported
    )  # fmt: skip


def _host_assembly(sources: Sources) -> tuple[Finding, ...]:
    return tuple(
        finding("HACK_ASSEMBLY", "assembly in host code: a kernel's host code allocates, copies and launches", str(path), at)
        for path, rewritten in sources.every_file.items()
        for at in host_assembly(rewritten.tree.root_node, rewritten.lines)
    )  # fmt: skip


async def _confined(confinement: Confinement, argv: list[str], readable: list[Path], work: Path) -> Completed:
    return await confinement.run(
        argv,
        readable=readable,
        writable=[work],
        cwd=work,
        environment={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": str(work)},
        limits=_COMPILE_LIMITS,
    )


_KILLED = re.compile(rb"signal terminated program|terminated with signal")


def _stopped(completed: Completed, path: Path) -> Finding | None:
    if completed.ended_by == "time":
        return finding(
            "COMPILE_TIME", f"compiling took longer than {_COMPILE_LIMITS.time_s:.0f} s", str(path)
        )
    if completed.ended_by == "memory":
        return finding(
            "COMPILE_MEMORY", f"compiling took more than {_COMPILE_LIMITS.memory_mb} MB", str(path)
        )
    if completed.status and says_no_room(completed.stderr.decode("utf-8", "replace")):
        return _no_room(path)
    if completed.status < 0 or (completed.status and _KILLED.search(completed.stderr)):
        # Nothing of the text can do this: the machine ran out of memory, or somebody ended it.
        return finding(
            "COMPILE_MEMORY",
            "the compiler was killed from outside, as happens where memory runs out",
            str(path),
        )
    return None


def _includes(dependencies: Path, sources: Sources) -> tuple[str, ...]:
    """Headers that were read and are neither ours nor the system's, by the paths that the user knows."""
    try:
        text = dependencies.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    words = text.replace("\\\n", " ").split(":", 1)[-1].split()
    folder = dependencies.parent
    known = {str(p) for p in sources.files if p != sources.main}
    for word in words:
        place = Path(word)
        if folder in place.parents or place.name in ("prelude.h", "prelude.h.gch"):
            continue
        known.add(word)
    return tuple(sorted(known))


def _symbols(data: bytes, includes: tuple[str, ...]) -> Symbols:
    elf = read_symbols(data)
    return Symbols(
        undefined=elf.undefined,
        needed=elf.needed,
        exported=elf.exported,
        libraries=elf.libraries,
        initialisers=foreign_initialisers(elf),
        includes=includes,
        oddities=elf.oddities,
        replaced=tuple(
            name for name in elf.functions if name in tools.runtime_names() or name.startswith(_HOOKS)
        ),
        algorithms=tuple(sorted({m[1] for name in elf.functions if (m := _DEVICE_WIDE.search(name))})),
    )


# What instrumentation calls: a candidate that has its own would not be seen.
_HOOKS = ("__tsan_", "__ubsan_", "__sanitizer_", "__wrap_")
_DEVICE_WIDE = re.compile(r"3cub\d+(Device[A-Z][a-z]+(?:[A-Z][a-z]+)*?)\d")


def _unresolved(symbols: Symbols) -> tuple[str, ...]:
    """C++ functions of the candidate that nobody defines: the C++ library's own names stay out."""
    return tuple(
        s for s in symbols.undefined if s.startswith("_Z") and not s.startswith(("_ZN", "_ZS", "_ZT", "_ZNK", "_Znw", "_Zna", "_Zdl", "_Zda"))
    )  # fmt: skip


def _undefined(symbol: str, sources: Sources, places: Places) -> Finding:
    name = _plain_name(symbol)
    found = next(
        (use for unit in sources.units if (use := unit.first_use(name.rsplit("::", 1)[-1])) is not None), None
    )
    path, at = found if found is not None else (sources.main, None)
    message = f"'{name}' is declared and used, but defined nowhere"
    code, data = "COMPILE_LINK", {"symbol": symbol}
    feature = feature_of(name)
    if feature is not None:
        code, message, data = "UNSUPPORTED_CUDA", explain(feature), {"symbol": symbol, "feature": feature}
    if at is None:
        return finding(code, message, str(path), data=data)
    return finding(code, message, str(path), at, data=data)


def _plain_name(symbol: str) -> str:
    """The identifier in a mangled name of a function: `_Z5scalePfi` is `scale`, `_ZN2ns5scaleEv` is `ns::scale`."""
    if not symbol.startswith("_Z"):
        return symbol.split("@", 1)[0]
    nested = re.match(r"_ZN[KVrRO]*(?=\d)", symbol)
    if nested is not None:
        parts, rest = [], symbol[nested.end() :]
        while (length := re.match(r"\d+", rest)) is not None:
            end = length.end() + int(length[0])
            parts.append(rest[length.end() : end])
            rest = rest[end:]
        return "::".join(parts)
    digits = ""
    for character in symbol[2:]:
        if not character.isdigit():
            break
        digits += character
    if not digits:
        return symbol
    start = 2 + len(digits)
    return symbol[start : start + int(digits)]


def _tensor(tensor: TensorData, writers: int | None) -> dict[str, Any]:
    body = {"name": tensor.name, "dtype": tensor.dtype, "shape": tensor.shape, "strides": tensor.strides,
            "offset": tensor.offset}  # fmt: skip
    if writers is not None:
        body["writers"] = writers
    return body


def _requested_calls(request: RunRequest) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """The calls for the driver, and where in the mapping (made longer for it) the writers of each output will stand, and
    what was loaded of each input."""
    size = request.mapping.stat().st_size if request.calls else 0
    at = (size + 63) // 64 * 64
    provenance: dict[str, Any] = {}
    loads: dict[str, Any] = {}
    calls = []

    def place(size: int) -> int:
        nonlocal at
        begin, at = at, (at + size + 63) // 64 * 64
        return begin

    def writers(call: int, tensor: TensorData) -> int:
        provenance.setdefault(str(call), {})[tensor.name] = (begin := place(2 * tensor.numel))
        return begin

    def loaded(call: int, tensor: TensorData) -> int:
        begin = place(tensor.numel)
        loads.setdefault(str(call), {}).setdefault(tensor.name, []).append(begin)
        return begin

    for number, call in enumerate(request.calls):
        arguments = []
        for argument in call.arguments:
            arguments.append(_argument(argument, number, writers, loaded if call.coverage else None))
        calls.append(
            {
                "arguments": arguments,
                "returned": [_tensor(t, writers(number, t)) for t in call.returned],
                "grid": call.grid,
                "block": call.block,
                "smem": call.smem_bytes,
                "seed": call.schedule_seed,
                "reuse": call.reuse,
                "perturb": int(call.perturb),
                "when": call.when,
                "bytes": call.host_read_bytes,
                "advance": call.advance,
                "probe": int(call.probe),
            }
        )
    if at > size and request.calls:
        with request.mapping.open("r+b") as file:
            take_room(file, at)
    return calls, provenance, loads


def _traced_calls(
    request: RunRequest, bounds: Sequence[Mapping[int, int]]
) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """The calls without places in the mapping; integers stay below their bounds."""
    calls = []
    for call, below in zip(request.calls, bounds, strict=True):
        arguments = [_argument(a, 0, lambda *_: None, None) for a in call.arguments]
        for position, bound in below.items():
            arguments[position]["below"] = bound
        for position, last in tracing.row_offsets(call).items():
            arguments[position]["last"] = last
        calls.append(
            {
                "arguments": arguments,
                "returned": [_tensor(t, None) for t in call.returned],
                "grid": call.grid,
                "block": call.block,
                "smem": call.smem_bytes,
                "seed": 0,
            }
        )
    return calls, {}, {}


def _argument(argument: ArgumentValue, call: int, writers: Any, loaded: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": argument.kind, "role": argument.role}
    if argument.tensor is not None:
        asked = writers(call, argument.tensor) if argument.role in ("output", "inout") else None
        body["tensor"] = _tensor(argument.tensor, asked)
        if loaded is not None and argument.role in ("input", "parameter", "buffer"):
            body["tensor"]["loaded"] = loaded(call, argument.tensor)
    if argument.value is not None:
        body["value"] = argument.value
    if argument.kind == "tiling":
        body["values"] = argument.values
    if argument.size_bytes is not None:
        body["size_bytes"] = argument.size_bytes
    return body


@dataclass(frozen=True)
class _Stage:
    """Where a program runs: a folder of its own that shows the user's files by links."""

    writable: Path
    start: Path


@contextmanager
def _stage(request: RunRequest) -> Iterator[_Stage | None]:
    """A place in which the program finds the files around it, and in which what it writes is thrown away."""
    if request.folder is None:
        yield None
        return
    folder = request.folder.resolve()
    root = (
        request.root.resolve()
        if request.root is not None and folder.is_relative_to(request.root.resolve())
        else folder
    )
    with tempfile.TemporaryDirectory(dir=tools.folder("runs"), prefix="run-") as name:
        writable = Path(name)
        here, place = root, writable
        for part in (*folder.relative_to(root).parts, None):
            _link_entries(here, place, part)
            if part is not None:
                here, place = here / part, place / part
                place.mkdir(exist_ok=True)
        yield _Stage(writable, place)


def _link_entries(shown: Path, place: Path, without: str | None) -> None:
    try:
        entries = sorted(shown.iterdir())[:_MOST_LINKS]
    except OSError:
        return
    for entry in entries:
        if entry.name != without:
            with suppress(OSError):
                (place / entry.name).symlink_to(entry)


def _shortened(printed: bytes) -> str:
    """The beginning and the end: what a program found out stands last."""
    if len(printed) > _LOG_BYTES:
        half = _LOG_BYTES // 2
        left_out = len(printed) - 2 * half
        printed = printed[:half] + f"\n... {left_out} bytes left out ...\n".encode() + printed[-half:]
    return printed.decode("utf-8", "replace")


def _answer(completed: Completed, nonce: str) -> dict[str, Any] | None:
    try:
        answer = json.loads(completed.reply)
    except ValueError:
        return None
    if not isinstance(answer, dict) or answer.get("nonce") != nonce or "findings" not in answer:
        return None
    return answer


def _call_result(call: Mapping[str, Any], places: Places) -> CallResult:
    returned = tuple(
        TensorData(name=f"out{n}", dtype=r["dtype"], shape=tuple(r["shape"]), strides=(), offset=0)
        for n, r in enumerate(call.get("returned", ()))
    )
    return CallResult(
        status=call["status"],
        message=call.get("message", ""),
        returned=returned,
        aliases=tuple(r["alias"] for r in call.get("returned", ()) if r["alias"]),
        elapsed_s=call.get("elapsed_s", 0.0),
        activity=_activity(call["activity"], places) if "activity" in call else None,
    )


def _activity(told: Mapping[str, Any], places: Places) -> Activity:
    def spot(name: str) -> Spot | None:
        found = located(told.get(name), places)
        return Spot(path=found[0], range=found[1]) if found is not None else None

    return Activity(
        launches=told["launches"],
        threads=told["threads"],
        accesses=told["accesses"],
        host_read_bytes=told["read_by_host"],
        host_read_at=spot("read_place"),
        poison_read=bool(told.get("poison_place")),
        poison_read_at=spot("poison_place"),
        work_left_behind=bool(told["left_behind"]),
        work_left_behind_at=spot("left_behind_place"),
    )


def _entry_errors(answer: Mapping[str, Any], places: Places, found: list[Finding]) -> list[Finding]:
    """What the entry itself said: an exception, an exit, an error that it left behind."""
    at = places.entry.name_range if places.entry else None
    errors = []
    for call in answer["calls"]:
        if call["status"] != "failed" or call.get("probe"):
            continue
        if not (call.get("exception") or call.get("exited")) and any(f.severity == "error" for f in found):
            continue  # explained already
        text = call.get("message") or "the entry failed"
        code = "LAUNCH_ERROR"
        args = (code, f"the entry ended with an error: {text}", str(places.main))
        errors.append(finding(*args, at) if at is not None else finding(*args))
        break
    return errors


def _without_answer(
    completed: Completed, request: RunRequest, places: Places, log: str, elapsed: float
) -> RunResult:
    """The candidate took the driver with it."""
    at = places.entry.name_range if places.entry else None
    reasons = {
        "time": ("LAUNCH_TIME", "timeout", f"it did not end within {request.limits.time_s:g} s"),
        "memory": ("LAUNCH_MEMORY", "memory", f"it used more than {request.limits.memory_mb} MB of memory"),
        "output": ("LAUNCH_OUTPUT", "output", f"it printed more than {request.limits.output_bytes} bytes"),
        "processes": ("LAUNCH_CRASH", "crashed", "it started more processes than the limit"),
    }
    if completed.ended_by in reasons:
        code, status, text = reasons[completed.ended_by]
    else:
        how = f"signal {-completed.status}" if completed.status < 0 else f"exit status {completed.status}"
        code, status, text = "LAUNCH_CRASH", "crashed", f"the process ended without an answer ({how})"
    args = (code, text, str(places.main))
    return RunResult(
        status=status,
        message=text,
        findings=(finding(*args, at) if at is not None else finding(*args),),
        calls=tuple(CallResult(status="not_reached") for _ in request.calls),
        log=log,
        elapsed_s=elapsed,
    )
