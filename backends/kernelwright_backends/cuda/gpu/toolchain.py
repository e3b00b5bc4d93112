"""CUDA candidates on the real GPU: built by nvcc, run and timed by the driver program in a confined process."""

import asyncio
import hashlib
import json
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright_backends.cuda.brought import includes_brought
from kernelwright_backends.cuda.cost import floor_us
from kernelwright_backends.cuda.cpu.assembly import host_assembly
from kernelwright_backends.cuda.cpu.compilation import OF_THE_MOMENT, stopped
from kernelwright_backends.cuda.cpu.compiler import prelude_of
from kernelwright_backends.cuda.cpu.elf import ElfError, foreign_initialisers, read_symbols
from kernelwright_backends.cuda.cpu.rewrite import is_program_main, parse
from kernelwright_backends.cuda.cpu.text import Lines, walk
from kernelwright_backends.cuda.cpu.tracing import index_bounds
from kernelwright_backends.cuda.gpu import companions, operators, phases, profiling, sanitizing
from kernelwright_backends.cuda.gpu import toolkit as tools
from kernelwright_backends.cuda.gpu.answer import findings_of, uncertain
from kernelwright_backends.cuda.gpu.dependencies import headers_read, unchanged
from kernelwright_backends.cuda.gpu.device import Device, DeviceMissing, devices_for, find_devices
from kernelwright_backends.cuda.gpu.diagnostics import Texts, demangler, nvcc_findings, resources_of
from kernelwright_backends.cuda.gpu.measured import latency_of
from kernelwright_backends.cuda.gpu.neighbours import Program, programs_on
from kernelwright_backends.cuda.gpu.sanitizer_report import read_output
from kernelwright_backends.cuda.gpu.thunk import entry_thunk, program_thunk
from kernelwright_backends.cuda.gpu.turns import turn_on
from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.folders import cache_folder
from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.reply import read_answer, without_answer
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import (
    Activity,
    ArgumentValue,
    BuildResult,
    Call,
    CallResult,
    CompileOptions,
    Completed,
    Confinement,
    CostEstimate,
    DeviceAccess,
    DeviceProfile,
    EntryCall,
    Limits,
    RunRequest,
    RunResult,
    Symbols,
    TensorData,
    ToolUnavailable,
)
from kernelwright_backends.upkeep import touch

_COMPILE_LIMITS = Limits(time_s=120.0, memory_mb=8192, processes=256, output_bytes=8 << 20)
_DEPENDENCIES = "candidate.d"
_LOG_BYTES = 64 << 10
# Of the run's own limit: the driver then still tells which kernel did not end.
_SHARE_OF_TIME = 0.9
# Before the candidate has the processor: the device's context and the object.
_START_S = 15.0
_TIMING_S = 30.0
# A program runs that much longer under a tool that watches each of its accesses, and replays its kernels.
_TOOL_S, _TOOL_FACTOR, _TOOL_MEMORY_MB = 60.0, 10.0, 16384
# What nvcc's own code for registering and launching kernels needs and runs; no candidate spells it.
_REGISTRATION = re.compile(
    r"__cuda(Register\w+|Unregister\w+|InitModule|GetKernel|LaunchKernel\w*|P(ush|op)CallConfiguration)"
)
_REGISTERS = re.compile(r"_ZL\d+__sti____cudaRegisterAllv|_ZL\d+__nv_\w+")


@dataclass(frozen=True)
class _Run:
    """What a built candidate needs to be run."""

    texts: Texts
    program: bool


class CudaGpuToolchain:
    """`Toolchain` of `cuda:*@gpu`. One object serves any number of candidates; the device takes them one by one."""

    def describe(self) -> dict[str, str]:
        """Compiler, driver and devices that answer here; `{}` where one of them is missing."""
        try:
            toolkit = tools.find_toolkit()
        except tools.ToolkitMissing:
            return {}
        found = find_devices()
        if not found.devices:
            return {}
        return {
            "compiler": f"nvcc {toolkit.version}",
            "driver": found.cuda,
            "devices": ", ".join(device.name for device in found.devices),
            "runtime": tools.source_hash(),
        }

    async def prepare(self, confinement: Confinement | None = None) -> None:
        """Build the driver program ahead, if the cache does not hold it. Only our own sources are compiled.

        Raises:
            ToolkitMissing: there is no nvcc.
            BuildError: our own sources do not compile here.
        """
        toolkit = await asyncio.to_thread(tools.find_toolkit)
        for device in (await asyncio.to_thread(find_devices)).devices:
            await asyncio.to_thread(tools.build_driver, toolkit, device.architecture)

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
        """See `Toolchain.build`. Needs no GPU: nvcc alone compiles."""
        path = Path(path).resolve()
        try:
            toolkit = await asyncio.to_thread(tools.find_toolkit)
        except tools.ToolkitMissing as missing:
            return BuildResult(object=None, findings=(finding("ENV_COMPILER", str(missing), str(path)),))
        content = text.encode()
        root = parse(content).root_node
        refused = tuple(
            finding("HACK_ASSEMBLY", "assembly in host code: a kernel's host code allocates, copies and launches", str(path), at)
            for at in host_assembly(root, Lines(content))
        )  # fmt: skip
        if refused:
            return BuildResult(object=None, findings=refused)
        mains = [n for n in walk(root) if n.type == "function_declarator" and is_program_main(n)]
        program = call is None and bool(mains)
        thunk = entry_thunk(call) if call else program_thunk(_parameters(mains[0])) if mains else ""
        entry = index.find(call.entry) if call else None
        folders = tuple(dict.fromkeys((path.parent, *(folder.resolve() for folder in options.include))))
        texts = Texts(path, content, index, entry, folders)
        context: dict[str, Any] = {"run": _Run(texts, program)}
        flags = _flags(toolkit, target, options, renamed=bool(mains))
        work = cache_folder("cuda-gpu", "objects") / _key(toolkit, flags, path, content, thunk)
        kept = work / "build.json"
        if kept.is_file() and _unchanged(work):
            touch(work)
            saved = BuildResult.model_validate_json(kept.read_text(encoding="utf-8"))
            return saved.model_copy(update={"cached": True, "context": context})
        temporary = work.with_name(f".{work.name}.{secrets.token_hex(4)}")
        temporary.mkdir(parents=True)
        try:
            result = await self._compile(toolkit, flags, texts, thunk, temporary, folders, confinement)
            read = temporary / _DEPENDENCIES
            # Who gave up before he named the headers that he read may say something else of the next.
            named = read.is_file() or not index.includes
            lasting = named and not any(f.code in OF_THE_MOMENT for f in result.findings)
            if lasting:
                made = work / result.object.name if result.object is not None else None
                result = result.model_copy(update={"object": made})
                kept_text = result.model_dump_json()
                (temporary / "build.json").write_text(kept_text, encoding="utf-8")
                headers = json.dumps(headers_read(read, path, _own(toolkit)))
                (temporary / "includes.json").write_text(headers, encoding="utf-8")
                shutil.rmtree(work, ignore_errors=True)
                with suppress(OSError):  # another process was as quick
                    temporary.rename(work)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return result.model_copy(update={"context": context})

    async def _compile(
        self,
        toolkit: tools.Toolkit,
        flags: tuple[str, ...],
        texts: Texts,
        thunk: str,
        work: Path,
        folders: Sequence[Path],
        confinement: Confinement,
    ) -> BuildResult:
        unit, made, dependencies = work / "candidate.cu", work / "candidate.so", work / _DEPENDENCIES
        spelled = str(texts.main).replace("\\", "\\\\").replace('"', '\\"')
        brought = includes_brought(texts.content) if prelude_of(texts.content) == "torch" else b""
        unit.write_bytes(brought + f'#line 1 "{spelled}"\n'.encode() + texts.content + thunk.encode())
        exports = work / "exports.map"
        exports.write_text(
            "{ global: kernelwright_entry; kernelwright_main; local: *; };\n", encoding="utf-8"
        )
        links = ["-shared", "-Xlinker", f"--version-script={exports}"] if thunk else ["-c"]
        named = work / "named"
        operators.write_named(named, texts.content)
        argv = [
            str(toolkit.nvcc), "-isystem", str(named), *flags, f"-I{texts.main.parent}",
            *(f"-I{folder}" for folder in folders), *links, str(unit), "-o", str(made),
        ]  # fmt: skip

        async def confined(argv: Sequence[str], stdin: bytes = b"") -> Completed:
            return await confinement.run(
                argv,
                readable=[toolkit.root, tools.INCLUDE, tools.SHIM, *folders],
                writable=[work],
                cwd=work,
                stdin=stdin,
                environment={**toolkit.environment, "TMPDIR": str(work)},
                limits=_COMPILE_LIMITS,
            )

        started = time.perf_counter()
        planned = await confined([*argv, "--dryrun"])
        identity = (
            f"_{hashlib.sha256(unit.read_bytes()).hexdigest()[:8]}_12_candidate_cu_{secrets.token_hex(4)}"
        )
        steps = phases.script(planned.stderr.decode("utf-8", "replace"), identity, dependencies)
        if steps is not None:
            completed = await confined(["sh"], steps.encode())
        else:
            completed = await confined([*argv, "-MD", "-MF", str(dependencies)])
        elapsed = {"compile": time.perf_counter() - started}
        failure = stopped(completed, texts.main, _COMPILE_LIMITS)
        if failure is not None:
            return BuildResult(object=None, findings=(failure,), elapsed_s=elapsed)
        output = (completed.stdout + completed.stderr).decode("utf-8", "replace")
        demangled = await asyncio.to_thread(demangler, output)
        found = nvcc_findings(output, texts, demangled)
        if completed.status or not made.is_file():
            if not any(f.severity == "error" for f in found):
                words = output.strip().splitlines()
                found.append(
                    finding(
                        "COMPILE_ERROR",
                        f"nvcc failed: {words[-1] if words else 'no message'}",
                        str(texts.main),
                    )
                )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        resources = {name: dict(counts) for name, counts in resources_of(output, demangled).items()}
        includes = tuple(headers_read(dependencies, texts.main, _own(toolkit)))
        if not thunk:
            made.unlink()
            return BuildResult(object=None, findings=tuple(found), resources=resources, elapsed_s=elapsed,
                               symbols=Symbols(includes=includes, kernels=tuple(resources)))  # fmt: skip
        try:
            elf = read_symbols(made.read_bytes())
        except ElfError as error:
            found.append(
                finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(texts.main))
            )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        symbols = Symbols(
            undefined=tuple(s for s in elf.undefined if not _REGISTRATION.fullmatch(s.split("@", 1)[0])),
            exported=elf.exported,
            libraries=elf.libraries,
            initialisers=tuple(s for s in foreign_initialisers(elf) if not _REGISTERS.fullmatch(s)),
            includes=includes,
            kernels=tuple(resources),
        )
        missing = [s for s in symbols.undefined if _of_candidate(s)]
        if missing:
            spelled_out = await asyncio.to_thread(demangler, "\n".join(missing))
            told = "\n".join(f"undefined reference to '{symbol}'" for symbol in missing)
            found += nvcc_findings(told, texts, spelled_out)
            made.unlink()
            return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
        return BuildResult(
            object=made, findings=tuple(found), symbols=symbols, resources=resources, elapsed_s=elapsed
        )

    async def run(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """See `Toolchain.run`. In mode `trace` the call is timed; inputs are then random values made on the device.

        Raises:
            ValueError: `built` holds no object.
        """
        if built.object is None:
            raise ValueError("there is no object to run: the build failed")
        run: _Run = built.context["run"]
        found = await asyncio.to_thread(find_devices)
        try:
            devices = devices_for(target, found)
        except DeviceMissing as missing:
            unreached = tuple(CallResult(status="not_reached") for _ in request.calls)
            return RunResult(status="error", message=str(missing), calls=unreached)
        driver = await asyncio.to_thread(tools.build_driver, tools.find_toolkit(), devices[0].architecture)
        async with turn_on(devices) as device:
            began_us = time.time_ns() // 1000
            result, answer = await self._run(built.object, run, request, device, driver, confinement, False)
            if "timing" in result.counters:
                others = await asyncio.to_thread(programs_on, device, began_us)
                result = _beside(result, device, others)
            if answer is not None and uncertain(answer) and request.mode == "check":
                # Once more, kernel by kernel: what it says of the place is better, what it says of the fault is the same.
                again, named = await self._run(built.object, run, request, device, driver, confinement, True)
                if named is not None and again.findings:
                    result = result.model_copy(update={"findings": again.findings})
        return result

    async def run_in_turns(
        self,
        first: BuildResult,
        second: BuildResult,
        calls: tuple[Call, Call],
        target: Target,
        confinement: Confinement,
        turns: int = 48,
        samples: int = 10,
        limits: Limits = Limits(),
    ) -> tuple[RunResult, RunResult]:
        """Time two candidates by turns, each in a process of its own: first, second, second, first, and so on.

        Only one of them uses the device at a time. `counters["timing"]["turns"]` of each result lists its turns:
        `samples_us` and the clock meanwhile, `clock_mhz`.

        Args:
            calls: of the first and of the second; the two may bind their task differently.
            turns: of both together, a multiple of four.
            samples: timed calls of a turn, at most ten.

        Raises:
            ValueError: one of them was not built.
        """
        if first.object is None or second.object is None:
            raise ValueError("there is no object to run: a build failed")
        found = await asyncio.to_thread(find_devices)
        try:
            devices = devices_for(target, found)
        except DeviceMissing as missing:
            failed = RunResult(
                status="error", message=str(missing), calls=(CallResult(status="not_reached"),)
            )
            return failed, failed
        driver = await asyncio.to_thread(tools.build_driver, tools.find_toolkit(), devices[0].architecture)
        with tempfile.NamedTemporaryFile(prefix="kernelwright-turns-") as shared:
            shared.truncate(4096)
            started = []
            async with turn_on(devices) as device:
                for side, (built, call) in enumerate(zip((first, second), calls, strict=True)):
                    assert built.object is not None
                    request = RunRequest(
                        mapping=Path(shared.name), calls=(call,), mode="trace", limits=limits
                    )
                    paired = {"side": side, "count": turns, "samples": samples}
                    run: _Run = built.context["run"]
                    started.append(
                        self._run(built.object, run, request, device, driver, confinement, False, paired)
                    )
                (one, _), (other, _) = await asyncio.gather(*started)
        return one, other

    async def _run(
        self,
        loaded: Path,
        run: _Run,
        request: RunRequest,
        device: Device,
        driver: Path,
        confinement: Confinement,
        attribute: bool,
        turns: Mapping[str, int] | None = None,
    ) -> tuple[RunResult, dict[str, Any] | None]:
        nonce = secrets.token_hex(16)
        timed = request.mode == "trace"
        unmapped = run.program or (timed and not turns)
        seconds = request.limits.time_s + (_TIMING_S if timed else 0.0)
        body = {
            "nonce": nonce,
            "object": str(loaded),
            "mapping": "" if unmapped else str(request.mapping),
            "turns": dict(turns) if turns else None,
            "program": int(run.program),
            "mode": request.mode,
            "attribute": int(attribute),
            "time_s": seconds * _SHARE_OF_TIME,
            "calls": [_requested(call, timed) for call in request.calls],
            "arguments": list(request.arguments),
        }
        limits = request.limits.model_copy(
            update={"time_s": seconds + _START_S, "processes": max(request.limits.processes, 256)}
        )
        started = time.perf_counter()
        completed = await confinement.run(
            [str(driver)],
            readable=[driver, loaded.parent, tools.find_toolkit().runtime.parent],
            writable=[] if unmapped else [request.mapping],
            stdin=json.dumps(body).encode() + b"\n",
            reply=True,
            environment=_environment(device),
            limits=limits,
            devices=device.files,
        )
        elapsed = time.perf_counter() - started
        log = (completed.stdout + completed.stderr)[:_LOG_BYTES].decode("utf-8", "replace")
        answer = read_answer(completed, nonce)
        if answer is None:
            last = log.strip().rpartition("\n")[2]
            texts = run.texts
            return without_answer(completed, request, texts.main, texts.entry, log, elapsed, last), None
        found = findings_of(answer, run.texts)
        result = RunResult(
            status=answer["status"],
            message=answer["message"],
            findings=(*found, *_entry_errors(answer, request.calls, run.texts, found)),
            calls=tuple(_call_result(call) for call in answer["calls"]),
            coverage={"launches": answer["launches"]},
            counters={"timing": answer["timing"]} if "timing" in answer else {},
            log=log,
            exit_status=answer.get("exit_status"),
            elapsed_s=elapsed,
        )
        return result, answer

    async def sanitize(
        self,
        built: BuildResult,
        request: RunRequest,
        target: Target,
        confinement: Confinement,
        tools: Sequence[str],
    ) -> RunResult:
        """See `Sanitizes.sanitize`: compute-sanitizer's tools, one after the other. Values are not compared."""
        program = await asyncio.to_thread(companions.find, "compute-sanitizer")
        texts = built.context["run"].texts
        found: list[Finding] = []
        elapsed, log = 0.0, ""
        for tool in tools:

            def command(report: Path, argv: Sequence[str], tool: str = tool) -> list[str]:
                return sanitizing.command(program.path, tool, report, argv)

            text, completed = await self._under(
                program, command, "sanitize", built, request, target, confinement
            )
            elapsed, log = elapsed + completed.elapsed_s, log or _log_of(completed)
            output = read_output(text)
            found += sanitizing.findings_of(tool, output, texts)
            if completed.ended_by == "time":
                message = f"the candidate did not end under compute-sanitizer {tool}; what it said until then is shown"
                found.append(finding("ENV_TOOL", message, str(texts.main)))
                break
            if not output.summaries and not output.reports:
                raise ToolUnavailable(_unable(f"compute-sanitizer {tool}", output.problems, completed))
        return RunResult(status="ok", findings=tuple(found), elapsed_s=elapsed, log=log)

    async def profile(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> DeviceProfile:
        """See `Profiles.profile`: Nsight Compute, each launch of one call, after another that warms up."""
        program = await asyncio.to_thread(companions.find, "ncu")
        if companions.counters_permitted() is False:
            raise ToolUnavailable(profiling.NOT_PERMITTED)

        def command(report: Path, argv: Sequence[str]) -> list[str]:
            return profiling.command(program.path, report, argv)

        text, completed = await self._under(program, command, "profile", built, request, target, confinement)
        if profiling.refused(text + _log_of(completed)):
            raise ToolUnavailable(profiling.NOT_PERMITTED)
        launches = profiling.read_launches(text)
        if not launches:
            raise ToolUnavailable(_unable("Nsight Compute", profiling.problems(text), completed))
        return profiling.profile_of(launches, f"Nsight Compute {program.version}")

    async def _under(
        self,
        program: companions.Companion,
        command: Callable[[Path, Sequence[str]], list[str]],
        mode: str,
        built: BuildResult,
        request: RunRequest,
        target: Target,
        confinement: Confinement,
    ) -> tuple[str, Completed]:
        """The driver under a tool: what the tool wrote into its report."""
        if built.object is None:
            raise ValueError("there is no object to run: the build failed")
        run: _Run = built.context["run"]
        found = await asyncio.to_thread(find_devices)
        try:
            devices = devices_for(target, found)
        except DeviceMissing as missing:
            raise ToolUnavailable(str(missing)) from None
        toolkit = tools.find_toolkit()
        driver = await asyncio.to_thread(tools.build_driver, toolkit, devices[0].architecture)
        seconds = _TOOL_S + _TOOL_FACTOR * request.limits.time_s
        mapped = mode == "sanitize" and not run.program
        body = {
            "nonce": secrets.token_hex(16),
            "object": str(built.object),
            "mapping": str(request.mapping) if mapped else "",
            "turns": None,
            "program": int(run.program),
            "mode": mode,
            "attribute": 0,
            "time_s": seconds * _SHARE_OF_TIME,
            "calls": [_requested(call, mode == "profile") for call in request.calls],
            "arguments": list(request.arguments),
        }
        limits = request.limits.model_copy(
            update={
                "time_s": seconds + _START_S,
                "processes": max(request.limits.processes, 256),
                "memory_mb": max(request.limits.memory_mb, _TOOL_MEMORY_MB),
            }
        )
        async with turn_on(devices) as device:
            return await companions.watched(
                command,
                driver,
                body,
                confinement,
                readable=[driver, built.object.parent, toolkit.runtime.parent, *program.folders],
                writable=[request.mapping] if mapped else [],
                environment=_environment(device),
                limits=limits,
                devices=device.files,
            )

    @asynccontextmanager
    async def hold(self, target: Target) -> AsyncIterator[DeviceAccess]:
        """See `HoldsDevice.hold`.

        Raises:
            DeviceMissing: it is not here.
        """
        found = await asyncio.to_thread(find_devices)
        async with turn_on(devices_for(target, found)) as device:
            yield DeviceAccess(
                name=device.name, driver=found.cuda, files=device.files, environment=_environment(device)
            )

    def cost(self, result: RunResult, target: Target, sizes: Mapping[str, Any]) -> CostEstimate:
        """See `Toolchain.cost`: here the measured latency."""
        return latency_of(result.counters.get("timing", {}))

    def operators_us(self, works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
        """None: beside a measured latency no estimate of the reference's operators is shown."""
        return None

    def floor_us(self, moved_bytes: float, target: Target) -> float | None:
        """See `Toolchain.floor_us`."""
        return floor_us(moved_bytes, target)


def _log_of(completed: Completed) -> str:
    return (completed.stdout + completed.stderr)[:_LOG_BYTES].decode("utf-8", "replace")


def _unable(name: str, problems: Sequence[str], completed: Completed) -> str:
    """Why a tool said nothing of the program."""
    said = _log_of(completed).strip().rpartition("\n")[2]
    reason = next(iter(problems), "") or said or f"it ended with status {completed.status}"
    return f"{name} could not watch the candidate: {reason}"


def _beside(result: RunResult, device: Device, others: tuple[Program, ...] | None) -> RunResult:
    """A timed run with where it was, and who else was there."""
    listed = None if others is None else [other.model_dump() for other in others]
    timing = {**result.counters["timing"], "uuid": device.uuid, "others": listed}
    return result.model_copy(update={"counters": {**result.counters, "timing": timing}})


def _environment(device: Device) -> dict[str, str]:
    """Of a program that is to see this GPU alone."""
    return {"CUDA_VISIBLE_DEVICES": device.uuid, "CUDA_CACHE_DISABLE": "1"}


def _flags(
    toolkit: tools.Toolkit, target: Target, options: CompileOptions, *, renamed: bool
) -> tuple[str, ...]:
    return (
        f"-arch={target.architecture}", f"-std={options.std or 'c++17'}", "-O1", "-lineinfo", "-Xptxas", "-v",
        "-cudart", "none", "-Xcompiler", "-fPIC,-fvisibility=hidden,-fno-gnu-unique",
        "-isystem", str(tools.INCLUDE), "-isystem", str(tools.SHIM), "-isystem", str(tools.SHIM / "samples"),
        *(("-Dmain=kernelwright_user_main",) if renamed else ()),
        *(f"-D{define}" for define in options.define), *options.flags,
    )  # fmt: skip


def _parameters(main: Any) -> int:
    listed = main.child_by_field_name("parameters")
    named = listed.named_children if listed is not None else []
    return len([p for p in named if p.type == "parameter_declaration" and p.text != b"void"])


def _key(toolkit: tools.Toolkit, flags: Sequence[str], path: Path, content: bytes, thunk: str) -> str:
    digest = hashlib.sha256(
        "\0".join((toolkit.version, tools.source_hash(), *flags, str(path), thunk)).encode()
    )
    digest.update(content)
    return digest.hexdigest()[:32]


def _own(toolkit: tools.Toolkit) -> tuple[Path, ...]:
    """Folders whose headers go by version."""
    return tools.INCLUDE, tools.SHIM, toolkit.root


def _unchanged(work: Path) -> bool:
    """Whether the user's headers are what they were when they were compiled."""
    try:
        noted = json.loads((work / "includes.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return unchanged(noted)


def _of_candidate(symbol: str) -> bool:
    """A C++ function that the candidate declares and nobody defines: the libraries' own names stay out."""
    libraries = ("_ZS", "_ZNS", "_ZNKS", "_ZT", "_Znw", "_Zna", "_Zdl", "_Zda", "_ZNK2at", "_ZN2at", "_ZN3c10", "_ZNK3c10",
                 "_ZN5torch", "_ZN10__cxxabi")  # fmt: skip
    return symbol.startswith("_Z") and not symbol.startswith(libraries)


def _tensor(tensor: TensorData) -> dict[str, Any]:
    return tensor.model_dump(include={"name", "dtype", "shape", "strides", "offset"})


def _argument(argument: ArgumentValue, below: int | None) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": argument.kind, "role": argument.role}
    if argument.tensor is not None:
        body["tensor"] = _tensor(argument.tensor)
    if argument.value is not None:
        body["value"] = argument.value
    if argument.size_bytes is not None:
        body["size_bytes"] = argument.size_bytes
    if below is not None:
        body["below"] = below
    return body


def _requested(call: Any, timed: bool) -> dict[str, Any]:
    # Values of integers are not known where nothing but shapes is given: small enough to index any dimension.
    bounds = index_bounds(call, safe=True) if timed else {}
    return {
        "arguments": [_argument(a, bounds.get(n)) for n, a in enumerate(call.arguments)],
        "returned": [_tensor(tensor) for tensor in call.returned],
        "grid": call.grid,
        "block": call.block,
        "smem": call.smem_bytes,
        "reuse": None if timed else call.reuse,
        "advance": 0 if timed else call.advance,
        "probe": int(call.probe),
    }


def _call_result(call: Mapping[str, Any]) -> CallResult:
    returned = call.get("returned", ())
    return CallResult(
        status=call["status"],
        message=call.get("message", ""),
        returned=tuple(
            TensorData(name=f"out{n}", dtype=r["dtype"], shape=tuple(r["shape"]), strides=(), offset=0)
            for n, r in enumerate(returned)
        ),
        aliases=tuple(r["alias"] for r in returned if r["alias"]),
        elapsed_s=call.get("elapsed_s", 0.0),
        activity=Activity(work_left_behind=True) if call.get("left_behind") else None,
    )


def _entry_errors(
    answer: Mapping[str, Any], calls: Sequence[Call], texts: Texts, found: Sequence[Finding]
) -> tuple[Finding, ...]:
    """What the entry itself said: an exception, an exit; what the device said before explains it."""
    own = zip(answer["calls"], calls, strict=False)
    failed = next((call for call, asked in own if call["status"] == "failed" and not asked.probe), None)
    if failed is None or found:
        return ()
    text = f"the entry ended with an error: {failed.get('message') or 'it failed'}"
    place = (texts.entry.name_range,) if texts.entry is not None else ()
    return (finding("LAUNCH_ERROR", text, str(texts.main), *place),)
