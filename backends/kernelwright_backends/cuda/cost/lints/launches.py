"""Faults of a launch: too few warps or blocks, a last wave that is nearly empty, chains of short launches."""

from collections.abc import Iterator

from kernelwright_backends.cuda.cost import what_if
from kernelwright_backends.cuda.cost.chip import Chip
from kernelwright_backends.cuda.cost.counters import BulkOperation, Sample, Spot, Trace
from kernelwright_backends.cuda.cost.lints.lint import Lint

_ENOUGH_WARPS = 16  # of a processor, to hide most of the latency
_FEW_LOADS = 4  # of a thread from global memory


def low_occupancy(sample: Sample, at: Spot, chip: Chip) -> Iterator[Lint]:
    processor = chip.processor
    held = processor.threads // 32
    occupancy = sample.resident * sample.warps / held
    if occupancy > 0.5 or sample.blocks <= processor.count * sample.resident:
        return
    shared = sample.shared_static + sample.shared_dynamic
    by_shared = processor.shared_bytes // (shared + 1024)
    by_registers = sample.by_registers(processor.registers)
    if by_registers is not None and by_registers <= sample.resident:
        limiter, why = "registers", f"{sample.registers} registers a thread"
        advice = "use fewer registers in each thread, or limit them with __launch_bounds__"
    elif by_shared <= sample.resident:
        limiter, why = "shared_memory", f"{shared} bytes of shared memory a block"
        advice = "use less shared memory in a block, or more threads with it"
    elif processor.blocks <= sample.resident:
        limiter, why = "blocks", f"{processor.blocks} blocks of {sample.threads} threads"
        advice = "use larger blocks"
    else:
        limiter, why = "threads", f"blocks of {sample.threads} threads"
        advice = "choose a block size that divides the threads of a multiprocessor"
    small = limiter == "blocks"
    yield Lint(
        "PERF_LOW_OCCUPANCY",
        at,
        f"only {sample.resident * sample.warps} of {held} warps are resident on a multiprocessor, limited by {why}",
        {"kernel": sample.kernel, "occupancy": round(occupancy, 3), "limiter": limiter},
        what_if.in_larger_blocks(sample, chip) if small else what_if.with_occupancy(sample, chip),
        advice=advice,
    )


def few_or_uneven_blocks(sample: Sample, at: Spot, chip: Chip) -> Iterator[Lint]:
    processors, blocks = chip.processor.count, sample.blocks
    data = {"kernel": sample.kernel, "blocks": blocks, "processors": processors}
    warps = blocks * sample.warps
    # A thread that loads little has nothing to give away.
    own = sample.critical
    loads = max(own.loads, own.shared_loads)
    if own.loads <= _FEW_LOADS:
        loads = own.loads  # what it was given once it goes over in shared memory, together with the others
    divisible = loads * sample.unlogged / 4
    parts = min(divisible, processors * _ENOUGH_WARPS / warps)
    if parts > 1:
        of = f"{sample.warps} warp{'s' * (sample.warps > 1)}"
        grid = f"{blocks} block{'s' * (blocks > 1)}"
        evidence = f"the grid has only {grid} of {of} for {processors} multiprocessors, while each thread loads {loads} times"
        yield Lint("PERF_FEW_BLOCKS", at, evidence, data, what_if.split(sample, parts))
        return
    last = blocks % processors
    if last and blocks > processors:
        even = blocks - last
        rounds = even // processors + 1
        evidence = f"{blocks} blocks run on {processors} multiprocessors in {rounds} rounds, the last one with {last} blocks"
        yield Lint(
            "PERF_TAIL_WAVE", at, evidence, {**data, "last": last}, what_if.split(sample, even / blocks)
        )


def launch_bound(trace: Trace, spent: float) -> Lint | None:
    count = len(trace.launches)
    kernels = [launch for launch in trace.launches if isinstance(launch, Sample) and launch.launched_at]
    if count < 2 or not kernels:
        return None
    at = kernels[-1].launched_at
    assert at is not None
    others = {(k.launched_at.path, k.launched_at.range.line): k for k in kernels if k.launched_at}
    fills = sum(isinstance(launch, BulkOperation) for launch in trace.launches)
    of_them = f" ({fills} of them copies or fills)" if fills else ""
    return Lint(
        "PERF_LAUNCH_BOUND",
        at,
        f"{count} launches{of_them} follow each other and cost {spent:.3g} us more than a single launch",
        {"launches": count, "overhead_us": round(spent, 3)},
        kernels[-1],
        [
            (f"{k.kernel} is launched here", k.launched_at)
            for k in others.values()
            if k.launched_at and k.launched_at != at
        ],
    )
