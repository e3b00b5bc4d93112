"""CUDA candidates on the CPU: built with g++, run by the native driver, every access checked."""

import asyncio
import hashlib
import json
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright_backends.cuda import cost
from kernelwright_backends.cuda.cpu import compiler as tools
from kernelwright_backends.cuda.cpu import tracing
from kernelwright_backends.cuda.cpu.answer import findings_of, writers_of
from kernelwright_backends.cuda.cpu.assembly import host_assembly
from kernelwright_backends.cuda.cpu.diagnostics import Places, compiler_findings, linker_findings
from kernelwright_backends.cuda.cpu.elf import ElfError, foreign_initialisers, read_symbols
from kernelwright_backends.cuda.cpu.sources import Sources, collect
from kernelwright_backends.cuda.cpu.thunk import entry_thunk, program_thunk
from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import (
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
    Symbols,
    TensorData,
)

_COMPILE_LIMITS = Limits(time_s=60.0, memory_mb=4096, output_bytes=8 << 20)
_LOG_BYTES = 64 << 10


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
        tools.remove_unused()
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
        refused = (*_host_assembly(sources), *_unsupported(sources))
        if refused:
            return BuildResult(object=None, findings=refused)
        if sources.misplaced:
            breaches = tuple(
                finding("COMPILE_ERROR", m.message, str(p), m.range) for p, m in sources.misplaced
            )
            return BuildResult(object=None, findings=breaches)
        flags = (*compiler.flags, f"-std={options.std or 'c++17'}", *_architecture(target))
        thunk = (
            entry_thunk(call) if call else program_thunk(sources.main_parameters) if sources.has_main else ""
        )
        rewritten_s = time.perf_counter() - started
        key = _key(compiler, flags, options, sources, thunk)
        work = tools.folder("objects") / key
        places = Places(path, sources.files, index.find(call.entry) if call else None)
        kept = work / "build.json"
        if kept.is_file():
            tools.touch(work)
            saved = json.loads(kept.read_text(encoding="utf-8"))
            result = BuildResult.model_validate(saved)
            return result.model_copy(
                update={"cached": True, "context": _context(sources, call, index, options)}
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
            if result.object is not None or not any(f.code.startswith("COMPILE_") and f.code in
                                                    ("COMPILE_TIME", "COMPILE_MEMORY") for f in result.findings):  # fmt: skip
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
        return result.model_copy(update={"context": _context(sources, call, index, options)})

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
        sources.write(work, thunk)
        unit, made, dependencies = work / "candidate.cpp", work / "candidate.o", work / "candidate.d"
        includes = [f"-I{folder}" for folder in options.include]
        user_folders = {p.parent for p in sources.files} | set(options.include)
        readable = [tools.INCLUDE, tools.SHIM, header, *sorted(user_folders)]
        argv = [
            str(compiler.path), *flags, *_defines(options), *options.flags, "-include", str(header / "prelude.h"),
            "-iquote", str(sources.main.parent), *includes, *tools.include_flags(), "-MMD", "-MF", str(dependencies),
            "-fdiagnostics-format=json", "-fmax-errors=20", "-c", str(unit), "-o", str(made),
        ]  # fmt: skip
        started = time.perf_counter()
        completed = await _confined(confinement, argv, readable, work)
        elapsed = {"compile": time.perf_counter() - started}
        failure = _stopped(completed, sources.main)
        if failure is not None:
            return BuildResult(object=None, findings=(failure,), elapsed_s=elapsed)
        stderr = completed.stderr.decode("utf-8", "replace")
        found = compiler_findings(stderr, places)
        if completed.status:
            if not found:
                words = stderr.strip().splitlines()
                found = [
                    finding(
                        "COMPILE_ERROR",
                        f"g++ failed: {words[-1] if words else 'no message'}",
                        str(sources.main),
                    )
                ]
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        if not thunk:
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed,
                               symbols=Symbols(includes=_includes(dependencies, sources)))  # fmt: skip
        shared, exports = work / "candidate.so", work / "exports.map"
        # Even what the standard library's templates make visible stays inside: the object exports its entry alone.
        exports.write_text(
            "{ global: kernelwright_entry; kernelwright_main; local: *; };\n", encoding="utf-8"
        )
        started = time.perf_counter()
        linker = [compiler.linker] if compiler.linker else []
        objects = [str(made)]
        if sources.has_device_variables:
            guard = str(await asyncio.to_thread(tools.build_guard, compiler))
            objects = [guard, *objects, guard]
            readable.append(Path(guard))
        argv = [
            str(compiler.path),
            "-shared",
            *linker,
            "-Wl,-z,now",
            f"-Wl,--version-script={exports}",
            *objects,
            "-o",
            str(shared),
        ]
        completed = await _confined(confinement, argv, readable, work)
        elapsed["link"] = time.perf_counter() - started
        stderr = completed.stderr.decode("utf-8", "replace")
        if completed.status or not shared.is_file():
            found += linker_findings(stderr, places)
            if not any(f.code == "COMPILE_LINK" for f in found):
                words = stderr.strip().splitlines()
                found.append(
                    finding("COMPILE_LINK", words[-1] if words else "the linker failed", str(sources.main))
                )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        made.unlink(missing_ok=True)
        try:
            symbols = _symbols(shared.read_bytes(), _includes(dependencies, sources))
        except ElfError as error:
            found.append(
                finding("COMPILE_LINK", f"the linked object cannot be read: {error}", str(sources.main))
            )
            return BuildResult(object=None, findings=tuple(found), elapsed_s=elapsed)
        missing = _unresolved(symbols)
        if missing:
            found += [_undefined(symbol, sources, places) for symbol in missing]
            return BuildResult(object=None, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)
        return BuildResult(object=shared, findings=tuple(found), symbols=symbols, elapsed_s=elapsed)

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
        return await self._run(built, request, confinement, built.object, _requested_calls(request))

    async def _trace(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """Sampled blocks of full-size launches; the values of integers are guessed, and guessed low if that fails."""
        chip = cost.find_chip(target) or cost.find_chip(Target(dialect="cuda", chip="h200", where="cpu"))
        assert chip is not None
        traced = await tracing.traced_object(built, confinement)
        for safe in (False, True):
            bounds = [tracing.index_bounds(call, safe=safe) for call in request.calls]
            calls = _traced_calls(request, bounds)
            result = await self._run(built, request, confinement, traced, calls, tracing.chip_request(chip))
            out_of_bounds = any(f.code == "MEM_OUT_OF_BOUNDS" for f in result.findings)
            if not (out_of_bounds and any(bounds)):
                break
        return result

    async def _run(
        self,
        built: BuildResult,
        request: RunRequest,
        confinement: Confinement,
        loaded: Path,
        requested: tuple[list[dict[str, Any]], dict[str, Any]],
        chip: dict[str, int] | None = None,
    ) -> RunResult:
        sources: Sources = built.context["sources"]
        places = Places(sources.main, sources.files, built.context["entry"])
        driver = await asyncio.to_thread(tools.build_driver, tools.find_compiler())
        nonce = secrets.token_hex(16)
        program = built.context["program"]
        calls, provenance = requested
        body = {
            "nonce": nonce,
            "object": str(loaded),
            "mapping": "" if program else str(request.mapping),
            "program": int(program),
            "mode": request.mode,
            "chip": chip,
            "time_s": request.limits.time_s * 0.9,
            "calls": calls,
        }
        started = time.perf_counter()
        completed = await confinement.run(
            [str(driver)],
            readable=[driver, loaded.parent],
            writable=[] if program else [request.mapping],
            stdin=json.dumps(body).encode() + b"\n",
            reply=True,
            limits=request.limits,
        )
        elapsed = time.perf_counter() - started
        log = (completed.stdout + completed.stderr)[:_LOG_BYTES].decode("utf-8", "replace")
        answer = _answer(completed, nonce)
        if answer is None:
            return _without_answer(completed, request, places, log, elapsed)
        status = answer["status"]
        found = findings_of(answer["findings"], places)
        results = tuple(_call_result(call) for call in answer["calls"])
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
            coverage={"launches": answer["launches"]},
            counters=await tracing.counters_of(
                answer["trace"], loaded, confinement, places, built.context["index"], _elements(request)
            )
            if "trace" in answer
            else {},
            log=log,
            exit_status=answer.get("exit_status"),
            elapsed_s=elapsed,
        )

    def cost(self, result: RunResult, target: Target, sizes: Mapping[str, Any]) -> CostEstimate:
        """See `Toolchain.cost`."""
        return cost.estimate(result.counters, target)

    def operators_us(self, works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
        """See `Toolchain.operators_us`."""
        return cost.operators_us(works, target)


def _elements(request: RunRequest) -> dict[str, str]:
    """Element types by the name of the tensor."""
    named = [a.tensor for call in request.calls for a in call.arguments if a.tensor is not None]
    returned = [tensor for call in request.calls for tensor in call.returned]
    return {tensor.name: tensor.dtype for tensor in (*named, *returned)}


def _key(
    compiler: tools.Compiler, flags: tuple[str, ...], options: CompileOptions, sources: Sources, thunk: str
) -> str:
    parts = [compiler.version, tools.header_hash(), *flags, options.model_dump_json(), thunk]
    digest = hashlib.sha256("\0".join(parts).encode())
    for path, rewritten in sources.files.items():
        digest.update(str(path).encode() + b"\0" + rewritten.text + b"\0")
    return digest.hexdigest()[:32]


def _context(
    sources: Sources, call: EntryCall | None, index: SourceIndex, options: CompileOptions
) -> dict[str, Any]:
    return {
        "sources": sources,
        "index": index,
        "entry": index.find(call.entry) if call else None,
        "program": call is None and sources.has_main,
        "options": options,
    }


def _architecture(target: Target) -> tuple[str, ...]:
    """What tells the candidate its architecture, where it is not the headers' own default."""
    number = "".join(c for c in target.architecture if c.isdigit())
    return () if number in ("", "90") else (f"-D__CUDA_ARCH__={number}0",)


def _defines(options: CompileOptions) -> tuple[str, ...]:
    return tuple(f"-D{define}" for define in options.define)


def _unsupported(sources: Sources) -> tuple[Finding, ...]:
    return tuple(
        finding("UNSUPPORTED_CUDA", f"{u.feature}: the CPU target does not execute this", str(path), u.range,
                data={"feature": u.feature})
        for path, rewritten in sources.files.items()
        for u in rewritten.unsupported
    )  # fmt: skip


def _host_assembly(sources: Sources) -> tuple[Finding, ...]:
    return tuple(
        finding("HACK_ASSEMBLY", "assembly in host code: a kernel's host code allocates, copies and launches", str(path), at)
        for path, rewritten in sources.files.items()
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


def _stopped(completed: Completed, path: Path) -> Finding | None:
    if completed.ended_by == "time":
        return finding(
            "COMPILE_TIME", f"compiling took longer than {_COMPILE_LIMITS.time_s:.0f} s", str(path)
        )
    if completed.ended_by == "memory":
        return finding(
            "COMPILE_MEMORY", f"compiling took more than {_COMPILE_LIMITS.memory_mb} MB", str(path)
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
        exported=elf.exported,
        libraries=elf.libraries,
        initialisers=foreign_initialisers(elf),
        includes=includes,
    )


def _unresolved(symbols: Symbols) -> tuple[str, ...]:
    """C++ functions of the candidate that nobody defines: the C++ library's own names stay out."""
    return tuple(
        s for s in symbols.undefined if s.startswith("_Z") and not s.startswith(("_ZN", "_ZS", "_ZT", "_ZNK", "_Znw", "_Zna", "_Zdl", "_Zda"))
    )  # fmt: skip


def _undefined(symbol: str, sources: Sources, places: Places) -> Finding:
    name = _plain_name(symbol)
    found = sources.first_use(name)
    path, at = found if found is not None else (sources.main, None)
    message = f"'{name}' is declared and used, but defined nowhere"
    if at is None:
        return finding("COMPILE_LINK", message, str(path), data={"symbol": symbol})
    return finding("COMPILE_LINK", message, str(path), at, data={"symbol": symbol})


def _plain_name(symbol: str) -> str:
    """The identifier in a mangled name of a function at file scope: `_Z5scalePfi` is `scale`."""
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


def _requested_calls(request: RunRequest) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The calls for the driver, and where in the mapping (made longer for it) each output's writers will stand."""
    size = request.mapping.stat().st_size if request.calls else 0
    at = (size + 63) // 64 * 64
    provenance: dict[str, Any] = {}
    calls = []

    def writers(call: int, tensor: TensorData) -> int:
        nonlocal at
        provenance.setdefault(str(call), {})[tensor.name] = at
        place = at
        at = (at + 2 * tensor.numel + 63) // 64 * 64
        return place

    for number, call in enumerate(request.calls):
        arguments = []
        for argument in call.arguments:
            arguments.append(_argument(argument, number, writers))
        calls.append(
            {
                "arguments": arguments,
                "returned": [_tensor(t, writers(number, t)) for t in call.returned],
                "grid": call.grid,
                "block": call.block,
                "smem": call.smem_bytes,
                "seed": call.schedule_seed,
            }
        )
    if at > size and request.calls:
        with request.mapping.open("r+b") as file:
            file.truncate(at)
    return calls, provenance


def _traced_calls(
    request: RunRequest, bounds: Sequence[Mapping[int, int]]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The calls without places in the mapping; integers stay below their bounds."""
    calls = []
    for call, below in zip(request.calls, bounds, strict=True):
        arguments = [_argument(a, 0, lambda *_: None) for a in call.arguments]
        for position, bound in below.items():
            arguments[position]["below"] = bound
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
    return calls, {}


def _argument(argument: ArgumentValue, call: int, writers: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": argument.kind, "role": argument.role}
    if argument.tensor is not None:
        asked = writers(call, argument.tensor) if argument.role in ("output", "inout") else None
        body["tensor"] = _tensor(argument.tensor, asked)
    if argument.value is not None:
        body["value"] = argument.value
    if argument.kind == "tiling":
        body["values"] = argument.values
    if argument.size_bytes is not None:
        body["size_bytes"] = argument.size_bytes
    return body


def _answer(completed: Completed, nonce: str) -> dict[str, Any] | None:
    try:
        answer = json.loads(completed.reply)
    except ValueError:
        return None
    if not isinstance(answer, dict) or answer.get("nonce") != nonce or "findings" not in answer:
        return None
    return answer


def _call_result(call: Mapping[str, Any]) -> CallResult:
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
    )


def _entry_errors(answer: Mapping[str, Any], places: Places, found: list[Finding]) -> list[Finding]:
    """What the entry itself said: an exception, an exit, an error that it left behind."""
    at = places.entry.name_range if places.entry else None
    errors = []
    for call in answer["calls"]:
        if call["status"] != "failed":
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
