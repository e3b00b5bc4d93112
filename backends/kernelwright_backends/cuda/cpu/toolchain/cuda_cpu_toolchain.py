"""CUDA candidates on the CPU: built with g++, run by the native driver, every access checked."""

import asyncio
import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import STRAYS, Finding, Severity, finding
from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda import cost
from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.analysis.aliasing import kernels_apart
from kernelwright_backends.cuda.cpu.analysis.inline_assembly import host_assembly
from kernelwright_backends.cuda.cpu.analysis.unsupported import explain
from kernelwright_backends.cuda.cpu.flags import (
    HOST_SUFFIXES,
    SINGLE_UNIT_FLAGS,
    WITHOUT_PRELUDE,
    WRAPPED_FUNCTIONS,
    checked_flags,
)
from kernelwright_backends.cuda.cpu.frontend.parsing import parse
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources, collect
from kernelwright_backends.cuda.cpu.report import uninitialised_sensitivity
from kernelwright_backends.cuda.cpu.report.findings import findings_of
from kernelwright_backends.cuda.cpu.report.from_text import host_variables, unwritten_locals
from kernelwright_backends.cuda.cpu.report.gxx_diagnostics import (
    compiler_findings,
    plain_findings,
)
from kernelwright_backends.cuda.cpu.report.timeouts import out_of_time
from kernelwright_backends.cuda.cpu.report.uninstantiated import without_bodies
from kernelwright_backends.cuda.cpu.rewriting.cuda_cpu_entry_stub import entry_stub, program_stub
from kernelwright_backends.cuda.cpu.toolchain.linking import symbols_of, undefined
from kernelwright_backends.cuda.cpu.trace import tracing
from kernelwright_backends.cuda.nvcc import second_opinion
from kernelwright_backends.host import gxx
from kernelwright_backends.host.compile_flags import refusal
from kernelwright_backends.host.compiling import (
    COMPILE_LIMITS,
    EXPORTS,
    OF_THE_MOMENT,
    OF_WHAT_NOBODY_RUNS,
    compile_into,
    defines,
    no_disk_space,
    right_but_slow,
    stopped,
)
from kernelwright_backends.host.driver_calls import requested_calls, traced_calls
from kernelwright_backends.host.driver_reply import (
    call_result,
    entry_errors,
    shortened,
)
from kernelwright_backends.host.elf import ElfError
from kernelwright_backends.host.gxx_diagnostics import linker_findings, refused_includes
from kernelwright_backends.host.linking import included_headers, unresolved
from kernelwright_backends.host.locations import writers_of
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.rewriter_key import rewriter_hash
from kernelwright_backends.host.run_directory import shown as shown_to_program
from kernelwright_backends.host.run_directory import staged
from kernelwright_backends.host.runner_reply import read_answer, without_answer
from kernelwright_backends.host.sources import too_large
from kernelwright_backends.host.translation_units import add_translation_units
from kernelwright_backends.interfaces.second_opinion import Opinion
from kernelwright_backends.interfaces.toolchain import (
    BuildResult,
    Call,
    CompileOptions,
    Completed,
    Confinement,
    CostEstimate,
    EntryCall,
    RunRequest,
    RunResult,
    Symbols,
)
from kernelwright_backends.storage.build_cache import keep_result, kept_result, making
from kernelwright_backends.storage.content_key import content_key
from kernelwright_backends.storage.disk_space import says_no_disk_space
from kernelwright_backends.storage.folders import private_folder, working_folder, write_private
from kernelwright_backends.untrusted.handover import NOT_TAKEN, Output, fresh_output, put_back, take

_HEADERS = (".cuh", ".h", ".hpp", ".hxx", ".inl")
# A program's own memory, and beside each byte of the device's its state and who stored it.
_WITH_STATES = 3
# After the trace is there.
_NVCC_PATIENCE_S = 2.0


def _with_states(memory_mb: int) -> int:
    """What a program that may use so much takes with what the checks keep; no more of it than half of the machine."""
    machine_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return max(memory_mb, min(_WITH_STATES * memory_mb, machine_mb // 2))


def _too_slow(found: Sequence[Finding]) -> bool:
    return any(f.code == "COMPILE_TIME" for f in found)


class CudaCpuToolchain:
    """`Toolchain` of `cuda:*@cpu`. One object serves any number of candidates, also at the same time."""

    traces_programs = True

    def describe(self) -> dict[str, str]:
        """Compiler and runtime that answer here; `{}` without a compiler."""
        try:
            compiler = gxx.find_compiler()
        except gxx.CompilerMissing:
            return {}
        return {
            "compiler": f"g++ {compiler.version}",
            "machine": compiler.machine,
            "headers": tools.header_hash(),
            "runtime": tools.runtime_hash(),
        }

    async def prepare(self, confinement: Confinement | None = None) -> None:
        """Build the driver and, where there is a confinement, the precompiled headers ahead, if the cache does not hold them.

        Raises:
            CompilerMissing: there is no g++ here.
            BuildError: our own sources do not compile here.
            ConfinementError: nothing here can confine a compiler.
        """
        compiler = gxx.find_compiler()
        await tools.prepare_all(compiler, (*checked_flags(compiler), "-std=c++17"), confinement)

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
            compiler = gxx.find_compiler()
        except gxx.CompilerMissing as missing:
            return BuildResult(object=None, findings=(finding("ENV_COMPILER", str(missing), str(path)),))
        path = Path(path).resolve()
        if said := refusal(options.flags, (path.parent, *options.include)):
            return BuildResult(object=None, findings=(finding("ENV_CONFIGURATION", said, str(path)),))
        if (failure := too_large(path, text)) is not None:
            return BuildResult(object=None, findings=(failure,))
        sources = collect(path, text.encode(), options.include)
        if call is None and sources.has_main:
            add_translation_units(sources, collect, parse)
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
        flags = (*checked_flags(compiler), f"-std={options.std or sources.standard}", *_architecture(target))
        if call is None and not sources.has_main and tools.prelude_of(sources.all_text) == "torch":
            flags = (*flags, "-DKW_WITHOUT_ENTRY")
        stub = entry_stub(call) if call else program_stub() if sources.has_main else ""
        rewritten_s = time.perf_counter() - started
        key = await asyncio.to_thread(_key, compiler, flags, options, sources, stub)
        work = tools.folder("objects") / key
        places = Places(path, sources.every_file, index.find(call.entry) if call else None)
        if (saved := kept_result(work)) is not None:
            return saved.model_copy(update={"context": _context(sources, call, index, options, text)})
        started = time.perf_counter()
        prelude = tools.prelude_of(sources.all_text, path.suffix in _HEADERS)
        header = await tools.precompiled_header(compiler, prelude, flags, confinement, options.define)
        await asyncio.to_thread(tools.build_driver, compiler)
        prepared_s = time.perf_counter() - started
        with making(work) as own:
            result = await self._compile(
                compiler, flags, options, sources, stub, own, header, places, confinement
            )
            result = result.model_copy(
                update={"elapsed_s": {"rewrite": rewritten_s, "prepare": prepared_s, **result.elapsed_s}}
            )
            if result.object is not None or not any(f.code in OF_THE_MOMENT for f in result.findings):
                result = keep_result(result, own, work)
        return result.model_copy(update={"context": _context(sources, call, index, options, text)})

    async def _compile(
        self,
        compiler: gxx.Compiler,
        flags: tuple[str, ...],
        options: CompileOptions,
        sources: CudaSources,
        stub: str,
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
        if stub and not sources.others:
            flags = (*flags, *SINGLE_UNIT_FLAGS)
        for number, unit in enumerate(sources.units):
            folder = work / f"unit{number}" if number else work
            made, unit_findings = await self._compile_unit(
                compiler,
                flags,
                options,
                unit,
                stub if number == 0 else "",
                folder,
                header,
                places,
                confinement,
                runs=bool(stub),
            )
            if not stub and made is None and unit.all_executed and _too_slow(unit_findings):
                made, said = await self._compile_unit(
                    compiler, flags, options, unit, "", folder, header, places, confinement, text_only=True
                )
                unit_findings = said if made is None else [*said, right_but_slow(unit.main)]
            found += unit_findings
            elapsed["compile"] = time.perf_counter() - started
            if made is None:
                return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
            objects.append(str(made))
            includes.update(included_headers(folder / "candidate.d", unit))
        read = tuple(sorted(includes))
        readable = [work]
        if not stub:
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed,
                               symbols=Symbols(includes=read))  # fmt: skip
        shared, exports = work / "candidate.so", work / "exports.map"
        # Even what the standard library's templates make visible stays inside: the object exports its entry alone.
        write_private(exports, EXPORTS)
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
            *WRAPPED_FUNCTIONS,
            f"-Wl,--version-script={exports}",
            *objects,
        ]
        completed = await compile_into(shared, confinement, argv, readable)
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
            found.append(
                finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(sources.main))
            )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        missing = unresolved(symbols)
        if places.entry is None:
            # A program's host code may call what the C library has; nobody else will say what it has not.
            driver = await asyncio.to_thread(tools.build_driver, compiler)
            provided = await asyncio.to_thread(tools.provided_names, compiler, driver)
            missing = tuple(name for name in symbols.needed if name.split("@", 1)[0] not in provided)
        if missing:
            found += [undefined(symbol, sources, places) for symbol in missing]
            return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
        return BuildResult(object=shared, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)

    async def _compile_unit(
        self,
        compiler: gxx.Compiler,
        flags: tuple[str, ...],
        options: CompileOptions,
        sources: CudaSources,
        stub: str,
        work: Path,
        header: Path,
        places: Places,
        confinement: Confinement,
        *,
        runs: bool = True,
        text_only: bool = False,
    ) -> tuple[Path | None, list[Finding]]:
        """The object of one translation unit; None with the findings that say why there is none.

        Args:
            work: where sources and results lie; no compiler may write there.
            runs: it is linked and run; the code of others is not waited for as long.
            text_only: find errors, and make no code.
        """
        private_folder(work)
        sources.write(work, stub)
        unit, made, dependencies = work / "candidate.cpp", work / "candidate.o", work / "candidate.d"
        includes = sources.include_flags
        of_pytorch = tools.prelude_of(sources.all_text) == "torch"
        shown = await asyncio.to_thread(lambda: sources.shown)
        readable = [work, tools.INCLUDE, tools.SHIM, header, *shown]
        prelude = ["-include", str(header / "prelude.h")]
        if sources.main.suffix in HOST_SUFFIXES and not sources.says_what_a_device_does:
            prelude = [*WITHOUT_PRELUDE]  # the host's alone: nothing is included before it
        elif sources.main.suffix == ".c":
            prelude = ["-x", "c", *WITHOUT_PRELUDE]
            flags = tuple("-std=gnu11" if flag.startswith("-std=") else flag for flag in flags)
        argv = [
            str(compiler.path), *flags, *defines(options, sources.assumed), *options.flags, *prelude,
            "-iquote", str(sources.main.parent), *includes, *tools.include_flags(),
            "-c", str(unit), *(["-fsyntax-only"] if text_only else []),
        ]  # fmt: skip
        in_full = runs or text_only or not sources.all_executed
        limits = COMPILE_LIMITS if in_full else OF_WHAT_NOBODY_RUNS

        async def compiled() -> Completed:
            return await compile_into(
                made, confinement, [*argv, "-fdiagnostics-format=json"], readable, limits, dependencies
            )

        # No -fmax-errors with it: g++ then stops without having written anything.
        completed = await compiled()
        if (
            completed.status and b"always_inline" in completed.stderr
        ):  # it cannot, where a function comes back to itself
            argv.append("-DKW_INLINED=")
            completed = await compiled()
        if completed.status and _WITHOUT_TYPENAME in completed.stderr and "-std=c++17" in argv:
            argv[argv.index("-std=c++17")] = (
                "-std=c++20"  # nvcc's front end has known for long what is a type there
            )
            completed = await compiled()
        if completed.status and any(words in completed.stderr for words in _PERMITTED):
            argv.append("-fpermissive")
            completed = await compiled()
        if completed.status and b"is ambiguous" in completed.stderr and of_pytorch:
            argv += _PYTORCH_DEFINES
            without_conversions = await compiled()
            if without_conversions.status:
                del argv[-len(_PYTORCH_DEFINES) :]
            else:
                completed = without_conversions
        failure = stopped(completed, sources.main, limits)
        if failure is not None:
            return None, [failure]
        stderr = completed.stderr.decode("utf-8", "replace")
        found = refused_includes(compiler_findings(stderr, places), sources)
        if not completed.status:
            return made, found
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
                made, confinement, [*argv, "-fmax-errors=5", "-fno-diagnostics-show-caret"], readable
            )
            stderr = completed.stderr.decode("utf-8", "replace")
            found = refused_includes(plain_findings(stderr, places), sources)
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
            return await self._run_calls(built, request, confinement, built.object)
        return await self._run_program(built, request, confinement, built.object)

    def reads_values(self, call: Call) -> bool:
        """See `TracesValues.reads_values`."""
        return any(argument.tensor is not None and argument.role != "output" for argument in call.arguments)

    async def _trace(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """Sampled blocks of full-size launches; the values of integers that nobody drew are guessed, and guessed low if that
        fails."""
        chip = cost.find_chip(target) or cost.find_chip(Target(dialect="cuda", chip="h200", where="cpu"))
        assert chip is not None
        options: CompileOptions = built.context["options"]
        sources: CudaSources = built.context["sources"]
        asked = asyncio.create_task(
            second_opinion.opinion(
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
        asked: "asyncio.Task[Opinion | None]",
    ) -> RunResult:
        traced = await tracing.traced_object(built, confinement)
        if built.context["program"]:
            none: tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]] = ([], {}, {})
            result = await self._run(built, request, confinement, traced, none, tracing.chip_request(chip))
            # What is wrong with it was told when it was checked.
            counters = {**result.counters, "program": True} if result.counters.get("samples") else {}
            result = result.model_copy(update={"counters": counters, "findings": ()})
            return await _with_opinion(result, asked, findings=False)
        # Values that a kernel turns into places may ask for others: lesser integers, real numbers from 0 to 1.
        strayed = list[tuple[str, ...]]()
        for attempt in range(3):
            bounds = [tracing.index_bounds(call, safe=attempt > 0) for call in request.calls]
            if attempt == 2:
                fractions = [tracing.fraction_bounds(call) for call in request.calls]
                bounds = [{**whole, **real} for whole, real in zip(bounds, fractions, strict=True)]
            if attempt and not any(bounds):
                continue
            calls = traced_calls(request, bounds)
            result = await self._run(built, request, confinement, traced, calls, tracing.chip_request(chip))
            strayed.append(tuple(f.message for f in result.findings if f.code in STRAYS))
            if not strayed[-1]:
                break
        if not any(map(tracing.is_guessed, request.calls)):
            result = _with_sure(result, wherever=len(set(strayed)) == 1)
        return await _with_opinion(result, asked)

    async def _run(
        self,
        built: BuildResult,
        request: RunRequest,
        confinement: Confinement,
        loaded: Path,
        requested: tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]],
        chip: dict[str, int] | None = None,
        observed: Mapping[str, Any] | None = None,
        shown: Sequence[Path] = (),
        noting: Sequence[Output] = (),
    ) -> RunResult:
        """One run of the driver.

        Args:
            observed: goes into its request.
            shown: what it may read beside the object.
            noting: where it writes what it observed.
        """
        sources: CudaSources = built.context["sources"]
        places = Places(sources.main, sources.every_file, built.context["entry"])
        driver = await asyncio.to_thread(tools.build_driver, gxx.find_compiler())
        nonce = secrets.token_hex(16)
        program = built.context["program"]
        calls, provenance, loads = requested
        # Nobody waits for a program as for a kernel that is being edited: on a busy machine it gets its time all the same.
        limits, limits_of_work = request.limits, request.limits.time_s
        if program:
            limits = limits.model_copy(
                update={"time_s": limits.time_s * _PATIENCE, "memory_mb": _with_states(limits.memory_mb)}
            )
        body = {
            "nonce": nonce,
            "object": str(loaded),
            "mapping": "" if program else str(request.mapping),
            "values": str(request.values) if request.values is not None else "",
            "program": int(program),
            "idle": request.idle or "",
            "results": request.results,
            "every_launch": int(request.every_launch),
            "mode": request.mode,
            "chip": chip,
            "apart": kernels_apart(built.context["index"], built.context["text"]) if chip is not None else [],
            "time_s": limits.time_s * 0.9,
            "looked_at": int(limits_of_work * _LOOKED_AT_A_SECOND)
            if program and not request.every_launch
            else 0,
            "looked_at_of_every_kernel": int(limits_of_work * _LOOKED_AT_A_SECOND * _OF_EVERY_KERNEL),
            "processor_s": request.limits.time_s * 0.9 if program else 0,
            "calls": calls,
            "arguments": list(request.arguments),
            "headers": [str(tools.INCLUDE), str(tools.SHIM), "/usr/"],
            **(observed or {}),
        }
        started = time.perf_counter()
        with staged(request) if program else nullcontext() as stage:
            seen = [request.values] if request.values is not None else []
            if stage is not None:
                seen += await asyncio.to_thread(shown_to_program, request, sources.main)
            mapped: list[Output | Path] = [request.mapping]
            writable = mapped if not program else [stage.writable] if stage is not None else []
            completed = await confinement.run(
                [str(driver)],
                readable=[driver, loaded.parent, *seen, *shown],
                writable=[*writable, *noting],
                cwd=stage.start if stage is not None else None,
                stdin=json.dumps(body).encode() + b"\n",
                reply=True,
                limits=limits,
            )
        elapsed = time.perf_counter() - started
        log = shortened(completed.stdout + completed.stderr)
        answer = read_answer(completed, nonce)
        if answer is None:
            ended = without_answer(completed, request, places.main, places.entry, log, elapsed)
            told = tuple(out_of_time(f, request, program) for f in ended.findings)
            return ended.model_copy(update={"findings": told})
        status = answer["status"]
        found = findings_of(answer["findings"], places)
        if chip is None and answer["launches"]:
            found = _with_proven(found, places)
        results = tuple(call_result(call, places) for call in answer["calls"])
        found += entry_errors(answer, places, found)
        found = [out_of_time(f, request, program) for f in found]
        return RunResult(
            status=status,
            message=answer["message"]
            or answer.get("trace", {}).get("failure", "")
            or answer.get("program_message", ""),
            findings=tuple(found),
            calls=results,
            provenance=provenance,
            writers=writers_of(answer["writers"], places),
            coverage={
                "launches": answer["launches"],
                "kernels": answer["kernels"],
                "repeated_launches": answer.get("repeated_launches", 0),
                "loaded": loads,
                "digest": answer.get("digest"),
                "given": answer.get("given"),
            },
            counters=await tracing.counters_of(
                answer["trace"], loaded, confinement, places, built.context["index"], _elements(request)
            )
            if "trace" in answer
            else {},
            log=log,
            exit_status=answer.get("exit_status"),
            elapsed_s=elapsed,
        )

    async def _run_calls(
        self, built: BuildResult, request: RunRequest, confinement: Confinement, loaded: Path
    ) -> RunResult:
        """Run an entry; where unwritten shared memory is read, again with other contents of it: are the outputs the same?"""
        requested = requested_calls(request)
        size_bytes = request.mapping.stat().st_size
        poison = {"poison": secrets.token_hex(16)}
        result = await self._run(built, request, confinement, loaded, requested, observed=poison)
        inout = any(argument.role == "inout" for call in request.calls for argument in call.arguments)
        if inout or not uninitialised_sensitivity.in_question(
            result
        ):  # what a call changes in place it can be given only once
            return result
        try:
            outputs = await asyncio.to_thread(_mapped, request, size_bytes)
        except NOT_TAKEN:
            return result
        try:
            for contents in uninitialised_sensitivity.CONTENTS:
                again = await self._run(
                    built,
                    request,
                    confinement,
                    loaded,
                    requested,
                    observed={**poison, "unwritten_shared": contents},
                )
                same = await asyncio.to_thread(_mapped, request, size_bytes) == outputs
                if not same or not uninitialised_sensitivity.same_with_other_contents(result, again):
                    return result
        except NOT_TAKEN:
            return result
        finally:
            with suppress(OSError, *NOT_TAKEN):
                put_back(request.mapping.parent, request.mapping.name, outputs)
        return uninitialised_sensitivity.lowered(result)

    async def _run_program(
        self, built: BuildResult, request: RunRequest, confinement: Confinement, loaded: Path
    ) -> RunResult:
        """Run `main`; if all went well once more, its warps and lanes in another order: is what it takes from the device the same?"""
        none: tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]] = ([], {}, {})
        if request.idle or request.results:
            return await self._run(built, request, confinement, loaded, none)
        with working_folder("observed") as own:
            kept = own / _OBSERVATIONS
            with fresh_output() as noted:
                observed = {"observations": str(noted.inside(_OBSERVATIONS)), "compare": 0, "seed": 0}
                result = await self._run(
                    built, request, confinement, loaded, none, observed=observed, noting=[noted]
                )
                with suppress(*NOT_TAKEN):
                    noted.copy_out(_OBSERVATIONS, kept, limit_bytes=_OBSERVATIONS_BYTES)
            if uninitialised_sensitivity.in_question(result):
                runs = [
                    await self._run(
                        built, request, confinement, loaded, none, observed={"unwritten_shared": contents}
                    )
                    for contents in uninitialised_sensitivity.CONTENTS
                ]
                alike = all(uninitialised_sensitivity.same_with_other_contents(result, run) for run in runs)
                digests = {run.coverage.get("digest") for run in runs}
                return (
                    uninitialised_sensitivity.lowered(result)
                    if alike and len(digests) == 1 and None not in digests
                    else result
                )
            if not _may_depend_on_order(result, request):
                return result
            if not kept.is_file():
                write_private(kept, b"")  # nothing is compared then
            observed = {"observations": str(kept), "compare": 1, "seed": 1}
            again = await self._run(
                built, request, confinement, loaded, none, observed=observed, shown=[kept.parent]
            )
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


def _mapped(request: RunRequest, limit_bytes: int) -> bytes:
    """What a run left of the values that are shared with it.

    Args:
        limit_bytes: how long the mapping was before.

    Raises:
        FileNotFoundError, HandoverError: it left no such file.
    """
    return take(request.mapping.parent, request.mapping.name, limit_bytes=limit_bytes)


async def _with_opinion(
    result: RunResult, asked: "asyncio.Task[Opinion | None]", findings: bool = True
) -> RunResult:
    """With what nvcc said of the kernels, if it answers soon."""
    done, _ = await asyncio.wait({asked}, timeout=_NVCC_PATIENCE_S)
    said = asked.result() if done and asked.exception() is None else None
    if said is None:
        return result
    counters = {**result.counters, "nvcc": said.model_dump(include={"version", "architecture", "kernels"})}
    return result.model_copy(
        update={
            "counters": counters if result.counters else {},
            "findings": (*result.findings, *said.findings) if findings else result.findings,
        }
    )


def _with_proven(found: list[Finding], places: Places) -> list[Finding]:
    """What the text proves is reported too; of local variables it explains what the run saw at the stores."""
    known = {(f.path, f.line) for f in found if f.code == "MEM_HOST_POINTER"}
    found = [*found, *(f for f in host_variables(places) if (f.path, f.line) not in known)]
    proven = unwritten_locals(places)
    if not proven:
        return found
    return [
        *(f for f in found if f.data.get("space") != "local" or f.code != "INIT_UNINITIALISED_READ"),
        *proven,
    ]


# What nvcc's front end does not mind.
_PERMITTED = (
    b"changes meaning of",
    b"needed for in-class initialization of static data member",
    b"in different namespace",
)
_WITHOUT_TYPENAME = b"is a dependent scope"
# What a build of PyTorch's defines for every extension: among its own types and CUDA's a call may be clear only then.
_PYTORCH_DEFINES = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
)
_OBSERVATIONS = "observations"
_OBSERVATIONS_BYTES = 64 << 20  # twice what the driver keeps of them
_MOST_UNFINISHED = 3  # compilations that find further templates which nobody instantiates
_PERMUTED_S = 2.0
# Of the accesses of a program's kernels so many for each second that it gets are held against each other: a quarter of it.
_LOOKED_AT_A_SECOND = 5_000_000
_OF_EVERY_KERNEL = 0.01
_PATIENCE = 4.0  # seconds that may pass for each second of work


def _with_sure(result: RunResult, *, wherever: bool) -> RunResult:
    """A traced call's errors that do not depend on what a trace guesses are the candidate's own: a launch that is refused though the
    host looked at no values, and an access outside of every allocation by the first launch, which needs nothing of others.

    Args:
        wherever: real numbers of every kind led to the same accesses.
    """
    if any(call.activity is None or call.activity.host_read_bytes for call in result.calls):
        return result
    first = sum(call.activity.launches for call in result.calls if call.activity is not None) == 1

    def is_sure(found: Finding) -> bool:
        return found.code == "LAUNCH_CONFIGURATION" or (found.code in STRAYS and first and wherever)

    marked = (
        f.model_copy(update={"data": {**f.data, "sure": True}}) if is_sure(f) else f for f in result.findings
    )
    return result.model_copy(update={"findings": tuple(marked)})


def _may_depend_on_order(result: RunResult, request: RunRequest) -> bool:
    """Is it worth the time to run this program in another order? What is wrong in order needs no second look."""
    wrong = any(f.severity in (Severity.ERROR, Severity.WARNING) for f in result.findings)
    quick = result.elapsed_s < min(_PERMUTED_S, request.limits.time_s / 4)
    return result.status == "ok" and not wrong and quick and bool(result.coverage.get("launches"))


def _elements(request: RunRequest) -> dict[str, str]:
    """Element types by the name of the tensor."""
    named = [a.tensor for call in request.calls for a in call.arguments if a.tensor is not None]
    returned = [tensor for call in request.calls for tensor in call.returned]
    return {tensor.name: tensor.dtype for tensor in (*named, *returned)}


def _key(
    compiler: gxx.Compiler, flags: tuple[str, ...], options: CompileOptions, sources: CudaSources, stub: str
) -> str:
    parts = [
        compiler.version,
        tools.header_hash(),
        rewriter_hash(tools.code_of_rewriting()),
        flags,
        options.model_dump_json(),
        stub,
    ]
    # Where the compiler looks for files itself, what it makes depends on which are there, and on what they hold.
    units = (([(str(p), r.text) for p, r in unit.files.items()], unit.state) for unit in sources.units)
    return content_key(parts, units)


def _context(
    sources: CudaSources, call: EntryCall | None, index: SourceIndex, options: CompileOptions, text: str
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


def _unsupported(sources: CudaSources) -> tuple[Finding, ...]:
    return tuple(
        finding("UNSUPPORTED_CUDA", explain(u.feature), str(path), u.range,
                data={"feature": u.feature})
        for path, rewritten in sources.every_file.items()
        for u in rewritten.unsupported
    )  # fmt: skip


def _host_assembly(sources: CudaSources) -> tuple[Finding, ...]:
    return tuple(
        finding("HACK_ASSEMBLY", "assembly in host code; remove it, or mark the function __device__", str(path), at)
        for path, rewritten in sources.every_file.items()
        for at in host_assembly(rewritten.tree.root_node, rewritten.lines)
    )  # fmt: skip
