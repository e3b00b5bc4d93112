"""The latency of a call: its launches one after the other, each a little more than the longer of what its cores
need and what all of them ask of the memory."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kernelwright_backends.ascendc.cost.bottleneck import bottleneck_of
from kernelwright_backends.ascendc.cost.chip import Chip, find_chip, known_products
from kernelwright_backends.ascendc.cost.export import Launch, timeline_data
from kernelwright_backends.ascendc.cost.timeline import Timeline, simulate
from kernelwright_backends.ascendc.cost.trace import Event, Trace
from kernelwright_backends.core.finding import finding
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.cost import CostEstimate

# Published times lie within these factors (benchmarks/results/ascendc_cost.json): of kernels bound by memory, of others.
# For the cube units only bounds are known.
_MEMORY, _CORES, _CUBE = 1.2, 1.45, 2.0
# Cores that wait for memory hide their own work after it, but never all of it: the published steps from one to two
# buffers and away from bank conflicts gain 1 to 2 % where memory bounds.
_HIDING = 4.0
# Events that travel with a verdict for its picture: some tiles' worth.
_SHOWN = 400


class Traffic(NamedTuple):
    """What all cores together move between global memory and themselves."""

    dram_bytes: float
    l2_bytes: float
    dram_us: float
    l2_us: float

    @property
    def total_us(self) -> float:
        return self.dram_us + self.l2_us


class LaunchTime(NamedTuple):
    trace: Trace
    timeline: Timeline
    traffic: Traffic
    start_us: float

    @property
    def total_us(self) -> float:
        cores, memory = self.timeline.length_us, self.traffic.total_us
        return self.start_us + float((cores**_HIDING + memory**_HIDING) ** (1 / _HIDING))


def estimate(counters: Mapping[str, Any], target: Target) -> CostEstimate:
    """Latency of traced launches on the target's chip.

    Args:
        counters: `{"launches": [TRACE, ...]}`, or one trace as `trace.py` describes it.

    Raises:
        TraceError: a trace that cannot be read.
    """
    chip = find_chip(target)
    if chip is None:
        known = ", ".join(known_products())
        message = f"no latency estimate: {target.product} has no table of constants (there are {known})"
        return CostEstimate(latency_us=None, findings=(finding("COST_NO_TABLE", message, ""),))
    launches = counters.get("launches", [counters] if "cores" in counters else [])
    if not launches:
        message = "no latency estimate: the call made no launch that could be traced"
        return CostEstimate(latency_us=None, findings=(finding("COST_NOT_TRACED", message, ""),))
    steps = [launch_time(Trace.read(launch), chip, most_spans=_SHOWN) for launch in launches]
    total = sum(step.total_us for step in steps)
    factor = max(map(_doubt, steps))
    longest = max(steps, key=lambda step: step.total_us)
    return CostEstimate(
        latency_us=total,
        low_us=total / factor,
        high_us=total * factor,
        parts=_parts(steps),
        bottleneck=bottleneck_of(longest.trace, longest.timeline, longest.traffic.total_us, longest.start_us, chip),
        detail={
            "timeline": timeline_data(
                longest.timeline, longest.trace.kernel, _launch(longest, len(steps), total)
            ),
            "moved": _moved([step.trace for step in steps]),
            "chip": chip.product,
            "measured_constants": chip.measured,
            "launches": [
                {
                    "kernel": step.trace.kernel,
                    "time_us": round(step.total_us, 3),
                    "cores": step.trace.core_count,
                    "cores_us": round(step.timeline.length_us, 3),
                    "memory_us": round(step.traffic.total_us, 3),
                    "busy_us": {pipe: round(value, 3) for pipe, value in step.timeline.busy_us.items()},
                }
                for step in steps[:32]
            ],
        },
    )  # fmt: skip


def _launch(step: LaunchTime, launches: int, call_us: float) -> Launch:
    return Launch(
        cores=step.trace.core_count,
        cores_us=step.timeline.length_us,
        memory_us=step.traffic.total_us,
        start_us=step.start_us,
        total_us=step.total_us,
        launches=launches,
        call_us=call_us,
    )


def launch_time(trace: Trace, chip: Chip, *, most_spans: int | None = 0) -> LaunchTime:
    """One launch on `chip`."""
    return LaunchTime(
        trace, simulate(trace, chip, most_spans=most_spans), traffic(trace, chip), chip.launch.start_us
    )


def traffic(trace: Trace, chip: Chip) -> Traffic:
    """Bytes and time of the memory, were it all that counts. What is touched again comes from L2 where all that is touched fits
    into it, or where the trace says so of a copy."""
    memory = chip.memory
    moved = cached = weighted_us = 0.0
    for core in trace.cores:
        part = _core_traffic(core.events, chip)
        times = core.count * core.left_out
        moved, cached, weighted_us = (
            moved + part[0] * times,
            cached + part[1] * times,
            weighted_us + part[2] * times,
        )
    dram = moved - cached
    if 0 < trace.unique_bytes <= memory.l2_bytes:
        first = 0.0 if trace.warm else min(float(trace.unique_bytes), dram)
        weighted_us *= first / dram if dram else 0.0
        cached, dram = cached + dram - first, first
    return Traffic(dram, cached, weighted_us, cached / memory.l2_bytes_per_us)


def _core_traffic(events: Sequence[Event], chip: Chip) -> tuple[float, float, float]:
    memory = chip.memory
    moved = cached = us = 0.0
    for event in events:
        if not event.is_copy:
            continue
        moved += event.bytes
        cached += event.cached_bytes
        rate = memory.dram_bytes_per_us * memory.share(event.bytes)
        rate *= memory.bypass_gain if event.bypass else 1.0
        rate *= 1.0 if event.aligned else memory.unaligned_share
        us += (event.bytes - event.cached_bytes) / rate
    return moved, cached, us


def _moved(traces: Sequence[Trace]) -> dict[str, object] | None:
    """What the cores copy out of and into themselves; None where single values are stored, of which a trace does not tell where."""
    stored = loaded = 0.0
    for core in (core for trace in traces for core in trace.cores):
        if any(event.op == "SetValue" for event in core.events):
            return None
        times = core.count * core.left_out
        stored += times * sum(event.bytes for event in core.events if event.pipe in ("MTE3", "FIX"))
        loaded += times * sum(event.bytes for event in core.events if event.pipe == "MTE2")
    return {"stored_bytes": stored, "loaded_bytes": loaded}


def _parts(steps: Sequence[LaunchTime]) -> dict[str, float]:
    """What each unit of the slowest core, the memory and the launches take, each alone."""
    parts: dict[str, float] = {}
    for step in steps:
        terms = {f"pipe {pipe}": value for pipe, value in step.timeline.busy_us.items()}
        terms |= {"dram": step.traffic.dram_us, "l2": step.traffic.l2_us, "launches": step.start_us}
        for name, value in terms.items():
            if value:
                parts[name] = parts.get(name, 0.0) + value
    return parts


def _doubt(step: LaunchTime) -> float:
    if "M" in step.timeline.busy_us:
        return _CUBE
    return _MEMORY if step.traffic.total_us > step.timeline.length_us else _CORES


def operators_us(works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
    """Latency of a library's operators, one launch each: its bytes or its operations, whatever takes longer.

    Args:
        works: for each operator its arithmetic operations, the bytes it moves, and whether it multiplies matrices.

    Returns:
        Microseconds; None where there is no table for the chip.
    """
    chip = find_chip(target)
    if chip is None:
        return None
    clocks_per_us = chip.cores.clock_ghz * 1e3
    vector = chip.cores.vector * clocks_per_us * 64  # one float in each lane of a repeat a clock
    cube = chip.cores.cube * clocks_per_us * 8192 / 4  # float32 takes four passes of the cube unit
    total = 0.0
    for operations, moved, matrix in works:
        busy = max(moved / chip.memory.dram_bytes_per_us, operations / (cube if matrix else vector))
        total += busy + chip.launch.start_us
    return total
