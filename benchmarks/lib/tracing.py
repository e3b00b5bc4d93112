"""Kernels of a folder of ladders: what their launches are counted to do, and what was measured of them on a device."""

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.progress import Progress

from kernelwright_backends.core.registry import toolchain_for
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.confinement import Confinement, Limits
from kernelwright_backends.interfaces.run import RunRequest
from kernelwright_verifier.gates.latency.estimate import full_size_call
from kernelwright_verifier.gates.latency.task_inputs import with_task_inputs
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.reference.client import Reference, TaskError
from kernelwright_verifier.sandbox import open_confinement
from kernelwright_verifier.verifier import read_candidate
from lib.bound import bound

# The tracer has a limit of its own, of the processor's time: how busy the machine is counts for nothing.
_LIMITS = Limits(time_s=120.0)


async def trace(file: Path, target: Target, reference: Reference, confinement: Confinement) -> dict[str, Any]:
    """What the launches of one kernel were counted to do, and the seconds that took."""
    one = await bound(read_candidate(file), target, reference)
    assert one.plan.task is not None
    built = await one.build(confinement)
    if built.object is None:
        return {"problem": "; ".join(f.message for f in built.findings)}
    started = time.perf_counter()
    with tempfile.NamedTemporaryFile(prefix="kernelwright-") as mapping:
        call = full_size_call(one.binding, one.full)
        call, values = await with_task_inputs(call, one.binding, one.plan.task, one.full, reference)
        request = RunRequest(
            mapping=Path(mapping.name), values=values, calls=(call,), mode="trace", limits=_LIMITS
        )
        result = await toolchain_for(target).run(built, request, target, confinement)
    if result.status != "ok" or any(call.status != "ok" for call in result.calls):
        return {"problem": result.message or "; ".join(f.message for f in result.findings) or result.status}
    return {"counters": result.counters, "trace_s": round(time.perf_counter() - started, 3)}


async def trace_all(files: Sequence[Path], target: Target, jobs: int) -> dict[str, dict[str, Any]]:
    confinement = open_confinement("auto")
    reference = Reference(Configuration().reference.interpreter, confinement)
    turns = asyncio.Semaphore(jobs)
    traces: dict[str, dict[str, Any]] = {}
    with Progress() as progress:
        bar = progress.add_task("tracing", total=len(files))

        async def one(file: Path) -> None:
            async with turns:
                try:
                    traces[name_of(file)] = await trace(file, target, reference, confinement)
                except TaskError as error:
                    traces[name_of(file)] = {"problem": str(error)}
                progress.advance(bar)

        try:
            await asyncio.gather(*(one(file) for file in files))
        finally:
            await reference.close()
    return traces


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def measured_in(folder: Path) -> tuple[str, dict[str, float], frozenset[str]]:
    """The chip's product, microseconds of each kernel that was measured on it, and the groups that are held back.

    Raises:
        SystemExit: the folder holds no such measurements.
    """
    file = next(iter(sorted(folder.glob("measured_*.json"))), None)
    if file is None:
        raise SystemExit(f"{folder} holds no measured_CHIP.json")
    told = json.loads(file.read_text(encoding="utf-8"))
    latencies = {
        f"{r['group']}/{r['variant']}": r["median_us"] for r in told["kernels"] if r.get("median_us")
    }
    return file.stem.removeprefix("measured_"), latencies, frozenset(told.get("held", ()))
