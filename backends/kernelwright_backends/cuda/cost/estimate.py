"""The latency of one call of an entry: its launches one after the other, and how sure that is."""

from collections.abc import Mapping, Sequence
from typing import Any

from kernelwright_backends.core.finding import finding
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cost import uncertainty, what_if
from kernelwright_backends.cuda.cost.accesses import accesses
from kernelwright_backends.cuda.cost.bottleneck import bottleneck_of
from kernelwright_backends.cuda.cost.chip import Chip, find_chip, known_products
from kernelwright_backends.cuda.cost.counters import BulkOperation, Sample, Trace
from kernelwright_backends.cuda.cost.dram_traffic import L2, DramTraffic
from kernelwright_backends.cuda.cost.launch import LaunchTime, launch_time
from kernelwright_backends.cuda.cost.lints.lints import lints
from kernelwright_backends.cuda.cost.profile import profiles
from kernelwright_backends.interfaces.cost import CostEstimate

# Peak bandwidth over the sustained one of the tables.
_PEAK = 1.2


def estimate(counters: Mapping[str, Any], target: Target) -> CostEstimate:
    """Latency of the traced launches on the target's chip, from data that `RunResult.counters` holds."""
    chip = find_chip(target)
    if chip is None:
        known = ", ".join(known_products())
        message = f"no latency estimate: {target.product} has no table of constants (there are {known})"
        return CostEstimate(latency_us=None, findings=(finding("COST_NO_TABLE", message, ""),))
    if not counters.get("launches"):
        message = "no latency estimate: the call made no launch that could be traced"
        return CostEstimate(latency_us=None, findings=(finding("COST_NOT_TRACED", message, ""),))
    trace = Trace.read(counters)
    steps = _steps(trace, chip)
    overhead = _overhead(trace, chip)
    total = _total(trace, [step for step, _ in steps], chip)
    at_once = chip.launch.model_copy(update={"next_us": 0.0, "issue_us": 0.0})
    waited = total - _total(trace, [step for step, _ in steps], chip.model_copy(update={"launch": at_once}))
    parts = _parts([step for step, _ in steps], overhead)
    launches = [
        (step, traffic, sample)
        for (step, traffic), sample in zip(steps, trace.launches, strict=True)
        if isinstance(sample, Sample)
    ]
    bottleneck = None
    if launches:
        longest, traffic, sample = max(launches, key=lambda entry: entry[0].total_us)
        bottleneck = bottleneck_of(longest.terms, sample, traffic, chip, overhead)
    factor = uncertainty.factor(trace.launches, [step for step, _ in steps], overhead, chip)
    return CostEstimate(
        latency_us=total,
        low_us=total / factor,
        high_us=total * factor,
        parts=parts,
        bottleneck=bottleneck,
        findings=lints(trace, chip, lambda changed: _latency(changed, chip), waited),
        detail={
            "chip": chip.product,
            "moved": _moved(trace),
            "measured_constants": chip.measured,
            "accesses": accesses(trace),
            "profiles": profiles(trace, steps, chip),
            "launches": [
                {**step.detail, "time_us": round(step.total_us, 3), "terms_us": {k: round(v, 3) for k, v in step.terms.items()}}
                for step, _ in steps[:32]
            ],
        },
    )  # fmt: skip


def floor_us(moved_bytes: float, target: Target) -> float | None:
    """The time in which the chip could move so many bytes between its memory and its processors, less what its L2 may
    hold beforehand; None where there is no table."""
    chip = find_chip(target)
    if chip is None:
        return None
    return max(0.0, moved_bytes - chip.memory.l2_bytes) / (chip.memory.dram_bytes_per_us * _PEAK)


def operators_us(works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
    """Latency of a library's operators, one launch each: its bytes or its operations, whatever takes longer. The first launch costs
    what a candidate's first does.

    Args:
        works: operations, bytes moved, whether matrices are multiplied (in float32, as PyTorch does by default: without
            the tensor cores' short format).
    """
    chip = find_chip(target)
    if chip is None:
        return None
    total = chip.launch.first_us + chip.library.operator_us * (len(works) - 1) if works else 0.0
    for operations, moved, _matrix in works:
        total += max(moved / chip.memory.dram_bytes_per_us, operations / chip.library.fp32_flops_per_us)
    return total


def _steps(trace: Trace, chip: Chip) -> list[tuple[LaunchTime, DramTraffic]]:
    l2 = L2(chip, trace.allocation_bytes)
    return [_step(launch, l2, chip) for launch in trace.launches]


def _overhead(trace: Trace, chip: Chip) -> float:
    return chip.launch.first_us + chip.launch.next_us * (len(trace.launches) - 1)


def _latency(trace: Trace, chip: Chip) -> float:
    """Microseconds of the whole call."""
    return _total(trace, [step for step, _ in _steps(trace, chip)], chip)


def _total(trace: Trace, steps: Sequence[LaunchTime], chip: Chip) -> float:
    """The longest way through launches that wait for each other. What streams let run at once still shares the chip's
    units, and is handed to it launch by launch."""
    ends: list[float] = []
    for step, after in zip(steps, trace.after, strict=True):
        begins = max((ends[number] + chip.launch.next_us for number in after), default=0.0)
        ends.append(begins + step.total_us)
    shared = sum(step.busy_us for step in steps)
    handed = chip.launch.issue_us * (len(steps) - 1) + steps[-1].total_us
    return chip.launch.first_us + max(*ends, shared, handed)


def _step(launch: Sample | BulkOperation, l2: L2, chip: Chip) -> tuple[LaunchTime, DramTraffic]:
    if isinstance(launch, BulkOperation):
        traffic = l2.fill(launch.allocation, float(launch.bytes))
        terms = {
            "dram": (traffic.written + traffic.written_back) / chip.memory.dram_bytes_per_us,
            "l2": launch.bytes / chip.memory.l2_write_bytes_per_us,
        }
        detail: dict[str, object] = {"operation": launch.operation, "bytes": launch.bytes}
        return LaunchTime(max(terms.values()), max(terms.values()), terms, detail), traffic
    launch = what_if.hoisted(launch)
    traffic = l2.launch(launch)
    return launch_time(launch, traffic, chip), traffic


def _moved(trace: Trace) -> dict[str, object]:
    """What the whole grids store, and load from tensors of the task, and the kernels that do."""
    stored = loaded = 0.0
    kernels = set()
    for launch in trace.launches:
        if isinstance(launch, BulkOperation):
            stored += launch.bytes
            loaded += launch.bytes if launch.operation == "copy" else 0
            continue
        kernels.add(launch.kernel)
        for site in launch.sites:
            moved = 0.0 if site.shared else site.lanes * site.size * launch.scale
            if site.shared and launch.counts.asynchronous_requests and site.pairs:
                # An asynchronous copy is one instruction that stores to shared memory what it loads.
                named = (
                    0 <= site.allocation < len(trace.allocations) and trace.allocations[site.allocation].name
                )
                loaded += 2.0 * site.pairs * launch.scale if named else 0.0
            if site.how != "load":
                stored += moved
            if site.how != "store" and 0 <= site.allocation < len(trace.allocations):
                loaded += moved if trace.allocations[site.allocation].name else 0.0
    return {"stored_bytes": stored, "loaded_bytes": loaded, "kernels": sorted(kernels)}


def _parts(steps: Sequence[LaunchTime], overhead: float) -> dict[str, float]:
    """Microseconds of each term summed over the launches: what each unit alone would take, and the launches."""
    parts: dict[str, float] = {}
    for step in steps:
        for name, value in step.terms.items():
            parts[name] = parts.get(name, 0.0) + value
    parts["launches"] = overhead
    return {name: round(value, 4) for name, value in parts.items() if value >= 0.0005}


def signs_of_uncertainty(trace: Trace, chip: Chip) -> Mapping[str, float]:
    """What the interval of a call's estimate is made of (`doubt.signs`)."""
    return uncertainty.signs(
        trace.launches, [step for step, _ in _steps(trace, chip)], _overhead(trace, chip), chip
    )
