"""Performance lints: what a traced launch wastes, at its line, with what the estimate says that it costs.

A lint is advice with evidence. Its gain is the share of the latency that is saved in the estimate if the fault, and
nothing else, goes away; who shows lints leaves out the small ones.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelwright_backends.cuda.cost import ideal
from kernelwright_backends.cuda.cost.chip import Chip
from kernelwright_backends.cuda.cost.counters import Barrier, BulkOperation, Sample, Site, Spot, Trace
from kernelwright_backends.finding import Finding, Related, finding
from kernelwright_backends.toolchain import Bottleneck

_LEAST = 0.01  # what is less is rounding
_RELATED = 8
_HALVES = ("float16", "bfloat16")
_ENOUGH_WARPS = 16  # of a processor, to hide most of the latency
_FEW_LOADS = 4  # of a thread from global memory
_LONG, _MANY, _USES = (
    64,
    4,
    2,
)  # loads of a thread, blocks of a processor; what each load from shared memory is then used for
_SURE = 0.2  # a gain that the estimate is likely to be right about
_ROUNDS = 4  # of a loop in which four bytes at a time are few
_WORTH = 0.05  # of the kernels' time of a program: one that takes less is left alone

# What each lint is a case of, for the agent, and what mends it.
_STATES = {
    "PERF_UNCOALESCED": Bottleneck.CACHE_INEFFICIENT,
    "PERF_BANK_CONFLICT": Bottleneck.SHARED_MEMORY_BANK_CONFLICTS,
    "PERF_DIVERGENCE": Bottleneck.THREAD_DIVERGENCE_HIGH,
    "PERF_REDUNDANT_LOAD": Bottleneck.CACHE_INEFFICIENT,
    "PERF_LOW_OCCUPANCY": Bottleneck.MEMORY_LATENCY_BOUND,
    "PERF_TAIL_WAVE": Bottleneck.INSUFFICIENT_PARALLELISM,
    "PERF_FEW_BLOCKS": Bottleneck.INSUFFICIENT_PARALLELISM,
    "PERF_LAUNCH_BOUND": Bottleneck.LAUNCH_OVERHEAD_DOMINANT,
    "PERF_ATOMIC_CONTENTION": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
    "PERF_HALF2": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
    "PERF_SCALAR_ACCESS": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
    "PERF_DOUBLE": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
    "PERF_INTEGER_DIVISION": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
    "PERF_NEEDLESS_BARRIER": Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL,
}
_ADVICE = {
    "PERF_UNCOALESCED": "let neighbouring threads touch neighbouring elements",
    "PERF_BANK_CONFLICT": "pad the rows by one element, or swizzle the index",
    "PERF_DIVERGENCE": "spread the work over the lanes of whole warps",
    "PERF_REDUNDANT_LOAD": "keep it in shared memory",
    "PERF_LOW_OCCUPANCY": "let more warps live on a processor",
    "PERF_TAIL_WAVE": "choose a grid that fills the processors evenly",
    "PERF_FEW_BLOCKS": "split the work over more blocks",
    "PERF_LAUNCH_BOUND": "fuse launches, or capture them in a graph",
    "PERF_ATOMIC_CONTENTION": "add up within the block first, then once for each block",
    "PERF_HALF2": "take two elements a thread with half2",
    "PERF_SCALAR_ACCESS": "take several elements a thread, 16 bytes at once",
    "PERF_DOUBLE": "write the constant as a float, with an f behind it",
    "PERF_INTEGER_DIVISION": "count on instead of dividing, or give the grid the dimensions that are divided out",
    "PERF_NEEDLESS_BARRIER": "leave it out",
}


@dataclass(frozen=True)
class _Lint:
    code: str
    at: Spot
    evidence: str
    data: Mapping[str, Any]
    mended: Sample  # what the sample would have counted
    others: Sequence[tuple[str, Spot]] = ()
    advice: str = ""
    least: float = _LEAST
    """the gain below which it is not told, where the estimate cannot tell so small a difference"""


@dataclass
class _Merged:
    """The same fault in several launches of a kernel; it is told as it showed first."""

    first: _Lint
    mended: dict[int, Sample] = field(default_factory=dict)


def lints(
    trace: Trace, chip: Chip, latency_us: Callable[[Trace], float], waited_us: float
) -> tuple[Finding, ...]:
    """What could be faster, the greatest gain first.

    Args:
        latency_us: the estimate of a whole call.
        waited_us: of it, what passes between launches.
    """
    if trace.program:
        return _of_program(trace, chip, latency_us)
    found = _told(trace, chip, latency_us)
    chain = _chain(trace, waited_us)
    if chain is not None:
        before = latency_us(trace)
        found.append(_finding(chain, before, before - waited_us))
    return _sorted(found)


def _of_program(trace: Trace, chip: Chip, latency_us: Callable[[Trace], float]) -> tuple[Finding, ...]:
    """Launch by launch, each on its own: a program may time its kernels, try several, or check one by another.

    Of a kernel that takes next to nothing of the program's time nobody needs advice.
    """
    alone = {
        id(launch): trace.model_copy(update={"launches": (launch,), "after": ((),)})
        for launch in trace.launches
        if isinstance(launch, Sample)
    }
    times = {number: latency_us(one) for number, one in alone.items()}
    samples = {id(launch): launch for launch in trace.launches if isinstance(launch, Sample)}
    by_kernel: dict[str, float] = defaultdict(float)
    launches: dict[str, int] = defaultdict(int)
    for number, sample in samples.items():
        by_kernel[sample.kernel] += times[number] * sample.times
        launches[sample.kernel] += sample.times
    least = _WORTH * sum(by_kernel.values())
    best: dict[tuple[object, ...], Finding] = {}
    for number, sample in samples.items():
        if by_kernel[sample.kernel] < least:
            continue
        for told in _told(alone[number], chip, latency_us):
            key = (told.code, told.path, told.line, told.column)
            if key not in best or best[key].data["gain"] < told.data["gain"]:
                best[key] = told.model_copy(
                    update={"data": {**told.data, "launches": launches[sample.kernel]}}
                )
    return _sorted(best.values())


def _sorted(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted((f for f in found if f.data["gain"] >= _LEAST), key=lambda f: -f.data["gain"]))


def _told(trace: Trace, chip: Chip, latency_us: Callable[[Trace], float]) -> list[Finding]:
    """What is told of the launches of a trace themselves, the small ones too."""
    before = latency_us(trace)
    merged: dict[tuple[object, ...], _Merged] = {}
    samples = {id(launch): launch for launch in trace.launches if isinstance(launch, Sample)}
    for number, sample in samples.items():
        for lint in _of(sample, trace, chip):
            at = lint.at
            key = (lint.code, at.path, at.range.line, at.range.column)
            merged.setdefault(key, _Merged(lint)).mended[number] = lint.mended
    found = []
    for entry in merged.values():
        launches = tuple(entry.mended.get(id(launch), launch) for launch in trace.launches)
        after = latency_us(trace.model_copy(update={"launches": launches}))
        if 1 - after / before >= entry.first.least:
            found.append(_finding(entry.first, before, after))
    return found


def _finding(lint: _Lint, before: float, after: float) -> Finding:
    gain = 1 - after / before
    advice = lint.advice or _ADVICE[lint.code]
    related = tuple(
        Related(message=text, path=spot.path, line=spot.range.line, column=spot.range.column)
        for text, spot in lint.others[:_RELATED]
    )
    return finding(
        lint.code,
        f"{lint.evidence}: {advice}; estimated gain {_share(gain)} ({_us(before)} -> {_us(after)} us)",
        lint.at.path,
        lint.at.range,
        related=related,
        data={
            **lint.data,
            "gain": round(gain, 4),
            "latency_us": round(before, 4),
            "ideal_us": round(after, 4),
            "bottleneck": _STATES[lint.code].value,
            "advice": advice,
        },
    )


def _of(sample: Sample, trace: Trace, chip: Chip) -> Iterator[_Lint]:
    yield from _uncoalesced(sample, trace)
    yield from _bank_conflicts(sample)
    yield from _redundant(sample, trace, chip.processor.count)
    yield from _divergent(sample)
    yield from _atomics(sample, chip)
    yield from _halves(sample, trace)
    yield from _scalars(sample, trace, chip.processor.count)
    yield from _slow(sample)
    yield from _barriers(sample, trace)
    if sample.launched_at is not None:
        yield from _occupancy(sample, sample.launched_at, chip)
        yield from _grid(sample, sample.launched_at, chip)


# ---- accesses ----------------------------------------------------------------------------------------------------------


def _uncoalesced(sample: Sample, trace: Trace) -> Iterator[_Lint]:
    def wasteful(site: Site) -> bool:
        strided = 2 * site.strided >= site.requests
        return not site.shared and site.how != "atomic" and strided and site.sectors >= 2 * site.ideal_sectors

    strided = [s for s in sample.sites if wasteful(s)]
    # One order of threads is behind all of them.
    mended = ideal.coalesced(sample, strided)
    for group in _groups(strided, lambda s: (s.allocation, s.how)):
        worst = max(group, key=lambda s: s.sectors - s.ideal_sectors)
        actual, least = worst.sectors / worst.requests, worst.ideal_sectors / worst.requests
        yield _Lint(
            "PERF_UNCOALESCED",
            worst.at,
            f"a warp's {worst.how} of {_tensor(trace, worst)} touches {actual:.3g} sectors where {least:.3g} would do",
            {
                "kernel": sample.kernel, "how": worst.how, "tensor": _name(trace, worst),
                "sectors_per_request": round(actual, 2), "ideal_sectors_per_request": round(least, 2),
            },
            mended,
            [
                (f"{s.how}: {s.sectors / s.requests:.3g} sectors, {s.ideal_sectors / s.requests:.3g} would do", s.at)
                for s in group
                if s is not worst
            ],
        )  # fmt: skip


def _bank_conflicts(sample: Sample) -> Iterator[_Lint]:
    group = [
        s for s in sample.sites if s.shared and s.how != "atomic" and s.wavefronts >= 1.5 * s.ideal_wavefronts
    ]
    if not group:
        return
    worst = max(group, key=lambda s: s.wavefronts - s.ideal_wavefronts)
    degree = worst.wavefronts / worst.ideal_wavefronts
    yield _Lint(
        "PERF_BANK_CONFLICT",
        worst.at,
        f"the lanes of a warp meet in the banks of shared memory, {degree:.3g} passes where 1 would do",
        {"kernel": sample.kernel, "how": worst.how, "degree": round(degree, 2)},
        ideal.without_conflicts(sample, group),
        [(f"{s.how}: {s.wavefronts / s.ideal_wavefronts:.3g} passes", s.at) for s in group if s is not worst],
    )


def _redundant(sample: Sample, trace: Trace, processors: int) -> Iterator[_Lint]:
    repeating = (
        s for s in sample.sites if s.how == "load" and not s.shared and 4 * s.repeated >= s.pairs > 0
    )
    for group in _groups(repeating, lambda s: s.allocation):
        worst = max(group, key=lambda s: s.repeated)
        asked, repeated = sum(s.pairs for s in group), sum(s.repeated for s in group)
        same_warp = sum(s.repeated_by_warp for s in group) > 0.9 * repeated
        who = "the same warp" if same_warp else "the block"
        # Of long sums a thread has room for several, so that what it takes from shared memory serves more than one.
        sums = not same_warp and worst.most * sample.unlogged >= _LONG and sample.blocks >= _MANY * processors
        yield _Lint(
            "PERF_REDUNDANT_LOAD",
            worst.at,
            f"{repeated / asked:.0%} of what this loads of {_tensor(trace, worst)} {who} had loaded before",
            {
                "kernel": sample.kernel, "tensor": _name(trace, worst), "repeated_share": round(repeated / asked, 3),
                "by": "warp" if same_warp else "block",
            },
            ideal.loaded_once(sample, group, _USES if sums else 1),
            [(f"{s.repeated / s.pairs:.0%} loaded before", s.at) for s in group if s is not worst],
            "keep it in registers or in shared memory" if same_warp
            else "keep a tile of it in shared memory, and several results in each thread" if sums else "",
        )  # fmt: skip


def _divergent(sample: Sample) -> Iterator[_Lint]:
    for region in sample.divergence:
        lanes = f"{region.lanes:.3g} lane{'s' * (region.lanes != 1)}"
        yield _Lint(
            "PERF_DIVERGENCE",
            region.at,
            f"under this '{region.statement}' only {lanes} of a warp work while the others wait",
            {
                "kernel": sample.kernel, "statement": region.statement, "lanes": round(region.lanes, 2),
                "share": round(region.share, 3),
            },
            ideal.converged(sample, [region]),
        )  # fmt: skip


def _atomics(sample: Sample, chip: Chip) -> Iterator[_Lint]:
    far = [s for s in sample.sites if s.how == "atomic" and not s.shared]
    hot = sample.atomics
    hits = hot.hottest_requests if sample.adds_up_in_warps else hot.hottest_lanes
    if far and hits * hot.hot_blocks > 1:
        worst = max(far, key=lambda s: s.lanes)
        once = hits <= 1
        times = "once" if once else f"{hits} times"
        blocks = "from one block" if hot.hot_blocks == 1 else f"by each of {hot.hot_blocks} blocks"
        yield _Lint(
            "PERF_ATOMIC_CONTENTION",
            worst.at,
            f"one address is added to {times} {blocks}, one after the other",
            {
                "kernel": sample.kernel, "space": "global", "times_in_block": hits,
                "blocks": hot.hot_blocks,
            },
            ideal.uncontended(sample, chip),
            [("an atomic operation of the same kernel", s.at) for s in far if s is not worst],
            "let fewer blocks do more each" if once else "",
        )  # fmt: skip
    near = [
        s for s in sample.sites if s.how == "atomic" and s.shared and s.wavefronts >= 2 * s.ideal_wavefronts
    ]
    if near:
        worst = max(near, key=lambda s: s.wavefronts)
        degree = worst.wavefronts / worst.ideal_wavefronts
        yield _Lint(
            "PERF_ATOMIC_CONTENTION",
            worst.at,
            f"the lanes of a warp meet at one address of shared memory, {degree:.3g} passes where 1 would do",
            {"kernel": sample.kernel, "space": "shared", "degree": round(degree, 2)},
            ideal.shared_uncontended(sample, near),
            [("an atomic operation of the same kernel", s.at) for s in near if s is not worst],
            "add up within the warp first",
        )


def _halves(sample: Sample, trace: Trace) -> Iterator[_Lint]:
    group = [
        s
        for s in sample.sites
        if s.how != "atomic"
        and not s.shared
        and s.size == 2
        and 4 * s.unit >= 3 * s.requests
        and s.allocation >= 0
        and trace.allocations[s.allocation].element in _HALVES
    ]
    if not group:
        return
    worst = max(group, key=lambda s: s.requests)
    pair = "half2" if trace.allocations[worst.allocation].element == "float16" else "bfloat162"
    yield _Lint(
        "PERF_HALF2",
        worst.at,
        f"each lane's {worst.how} of {_tensor(trace, worst)} is one element of 2 bytes, and its neighbours' follow",
        {"kernel": sample.kernel, "element": trace.allocations[worst.allocation].element},
        ideal.widened(sample, group, 2),
        [(f"{s.how} of one element", s.at) for s in group if s is not worst],
        f"take two elements a thread with {pair}",
    )


def _scalars(sample: Sample, trace: Trace, processors: int) -> Iterator[_Lint]:
    """Loads and stores of small elements one behind the other, of which a thread could take 16 bytes at once."""
    if sample.blocks < processors:
        return
    group = [
        s
        for s in sample.sites
        if s.how != "atomic"
        and not s.shared
        and s.size in (1, 2, 4)
        and 4 * s.aligned >= 3 * s.requests
        # Of larger elements the wider request gains little but in a loop, and not where its rounds ask for the same again.
        and (s.size < 4 or s.most >= _ROUNDS)
        and 2 * s.repeated_by_warp < max(1, s.pairs)
        and not (s.allocation >= 0 and trace.allocations[s.allocation].element in _HALVES)
    ]
    if not group:
        return
    # All that is computed for a thread's elements goes the same way: of two sizes the larger decides.
    largest = max(s.size for s in group)
    group = [s for s in group if s.size == largest]
    worst = max(group, key=lambda s: s.requests)
    width = 16 // largest
    yield _Lint(
        "PERF_SCALAR_ACCESS",
        worst.at,
        f"each lane's {worst.how} of {_tensor(trace, worst)} is one element of {largest} byte{'s' * (largest > 1)}, aligned, "
        "and its neighbours' follow",
        {"kernel": sample.kernel, "bytes": largest, "width": width},
        ideal.widened(sample, group, width),
        [(f"{s.how} of one element", s.at) for s in group if s is not worst],
        f"take {width} elements a thread, 16 bytes at once",
        _SURE if largest == 4 else _LEAST,
    )  # fmt: skip


def _slow(sample: Sample) -> Iterator[_Lint]:
    warps = max(1.0, sample.warps * sample.sampled / sample.unlogged)
    doubles = [s for s in sample.slow if s.kind == "double"]
    if doubles:
        worst = max(doubles, key=lambda s: s.slots)
        yield _Lint(
            "PERF_DOUBLE",
            worst.at,
            f"this constant is a double, so that floats are computed with in 64 bits, {worst.executions / warps:.3g} times a warp",
            {"kernel": sample.kernel, "executions": round(worst.executions / warps, 2)},
            ideal.in_single_precision(sample, doubles),
            [("a double likewise", s.at) for s in doubles if s is not worst],
        )
    divisions = [s for s in sample.slow if s.kind == "division"]
    if divisions:
        worst = max(divisions, key=lambda s: s.slots)
        each = worst.slots / worst.executions
        yield _Lint(
            "PERF_INTEGER_DIVISION",
            worst.at,
            f"integers are divided by what is known at run time only, {worst.executions / warps:.3g} times a warp, {each:.0f} "
            "instructions each",
            {"kernel": sample.kernel, "executions": round(worst.executions / warps, 2)},
            ideal.undivided(sample, divisions),
            [("a division likewise", s.at) for s in divisions if s is not worst],
        )


def _barriers(sample: Sample, trace: Trace) -> Iterator[_Lint]:
    """Barriers that no block of any launch that was looked at needed."""
    samples = [launch for launch in trace.launches if isinstance(launch, Sample)]
    needed = {b.at for s in samples for b in s.barriers if b.ordering or _once(b, s)}
    needless = [b for b in sample.barriers if b.at not in needed]
    if not needless:
        return
    worst = max(needless, key=lambda b: b.passed)
    times = worst.passed / sample.judged_blocks
    yield _Lint(
        "PERF_NEEDLESS_BARRIER",
        worst.at,
        f"a block passes this barrier {times:.3g} time{'s' * (times != 1)}, and between it and the next no thread uses what "
        "another stored or stores what another loaded before it",
        {"kernel": sample.kernel, "times": round(times, 2)},
        ideal.without_barriers(sample, needless),
        [("orders nothing either", b.at) for b in needless if b is not worst],
    )


def _once(barrier: Barrier, sample: Sample) -> bool:
    """Whether it stands in a loop of which only one round was seen: what it orders may be the next one."""
    return barrier.repeated and barrier.passed <= sample.judged_blocks


# ---- launches ----------------------------------------------------------------------------------------------------------


def _occupancy(sample: Sample, at: Spot, chip: Chip) -> Iterator[_Lint]:
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
        advice = "keep less in each thread, or bound it with __launch_bounds__"
    elif by_shared <= sample.resident:
        limiter, why = "shared_memory", f"{shared} bytes of shared memory a block"
        advice = "use less shared memory in a block, or more threads with it"
    elif processor.blocks <= sample.resident:
        limiter, why = "blocks", f"{processor.blocks} blocks of {sample.threads} threads"
        advice = "take larger blocks"
    else:
        limiter, why = "threads", f"blocks of {sample.threads} threads"
        advice = "take a size of block that divides the processor's threads"
    small = limiter == "blocks"
    yield _Lint(
        "PERF_LOW_OCCUPANCY",
        at,
        f"{sample.resident * sample.warps} of {held} warps live on a processor, limited by {why}",
        {"kernel": sample.kernel, "occupancy": round(occupancy, 3), "limiter": limiter},
        ideal.in_larger_blocks(sample, chip) if small else ideal.with_occupancy(sample, chip),
        advice=advice,
    )


def _grid(sample: Sample, at: Spot, chip: Chip) -> Iterator[_Lint]:
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
        evidence = (
            f"the grid has {grid} of {of} for {processors} processors, and each thread loads {loads} times"
        )
        yield _Lint("PERF_FEW_BLOCKS", at, evidence, data, ideal.split(sample, parts))
        return
    last = blocks % processors
    if last and blocks > processors:
        even = blocks - last
        rounds = even // processors + 1
        evidence = f"{blocks} blocks go round {processors} processors {rounds} times, the last time with {last} blocks"
        yield _Lint(
            "PERF_TAIL_WAVE", at, evidence, {**data, "last": last}, ideal.split(sample, even / blocks)
        )


def _chain(trace: Trace, spent: float) -> _Lint | None:
    count = len(trace.launches)
    kernels = [launch for launch in trace.launches if isinstance(launch, Sample) and launch.launched_at]
    if count < 2 or not kernels:
        return None
    at = kernels[-1].launched_at
    assert at is not None
    others = {(k.launched_at.path, k.launched_at.range.line): k for k in kernels if k.launched_at}
    fills = sum(isinstance(launch, BulkOperation) for launch in trace.launches)
    of_them = f" ({fills} of them copies or fills)" if fills else ""
    return _Lint(
        "PERF_LAUNCH_BOUND",
        at,
        f"{count} launches{of_them} follow each other, which alone takes {spent:.3g} us more than one",
        {"launches": count, "overhead_us": round(spent, 3)},
        kernels[-1],
        [
            (f"{k.kernel} is launched here", k.launched_at)
            for k in others.values()
            if k.launched_at and k.launched_at != at
        ],
    )


# ---- words -------------------------------------------------------------------------------------------------------------


def _groups(sites: Iterable[Site], key: Callable[[Site], object]) -> list[list[Site]]:
    """Sites with one cause: a lint is told once, at the worst of them."""
    groups: dict[object, list[Site]] = defaultdict(list)
    for site in sites:
        groups[key(site)].append(site)
    return list(groups.values())


def _share(gain: float) -> str:
    return "over 99%" if gain > 0.99 else f"{gain:.0%}"


def _us(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _name(trace: Trace, site: Site) -> str | None:
    return (trace.allocations[site.allocation].name or None) if site.allocation >= 0 else None


def _tensor(trace: Trace, site: Site) -> str:
    name = _name(trace, site)
    return f"'{name}'" if name else "global memory"
