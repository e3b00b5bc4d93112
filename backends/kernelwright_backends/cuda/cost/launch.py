"""The time of one launch: throughput terms and the latency of its critical warp, combined by p-norms.

Structure and constants: tried on 134 kernels in 25 operator ladders, see docs/findings/COST_ESTIMATED.md.
"""

import math
from dataclasses import dataclass, field

from kernelwright_backends.cuda.cost.chip import Chip
from kernelwright_backends.cuda.cost.counters import Sample
from kernelwright_backends.cuda.cost.memory import SECTOR, DramTraffic

_THROUGHPUT_NORM = 5.4
_INTEGER_SHARE = 0.35  # x86 integer instructions that the device needs one of
_HALF_SHARE = (
    0.5  # conversions from and to 16 bits likewise: the device has instructions of its own for pairs
)
_BARRIER_SHARE = 0.5  # how far a block with barriers goes in step instead of warp by warp
_OVERLAP = ((2, 1.32), (8, 1.75), (32, 2.56))
_MATCH_WAVEFRONTS = 64
# Without basic blocks: instructions for each request of a warp.
_INSTRUCTIONS_PER_REQUEST = 6.0


@dataclass
class LaunchTime:
    """Microseconds. `terms` are what each unit alone would take."""

    total_us: float
    busy_us: float
    """of the chip's units together"""
    terms: dict[str, float]
    detail: dict[str, object] = field(default_factory=dict)


def launch_time(sample: Sample, traffic: DramTraffic, chip: Chip) -> LaunchTime:
    processor, memory = chip.processor, chip.memory
    counts, scale = sample.counts, sample.scale
    blocks = sample.blocks
    # A whole number of blocks runs on the busiest processor.
    rounds = math.ceil(blocks / processor.count)
    a_block = sample.unlogged / sample.sampled
    instructions = _instructions(sample)

    def per_processor(work: float, rate: float) -> float:
        return chip.clocks_to_us(work * a_block * rounds / rate)

    loads, stores = sample.caches.l1_misses, float(counts.store_sectors)
    l2_sectors = loads + stores + counts.atomic_sectors
    requests = (
        counts.load_requests + counts.store_requests + counts.atomic_requests + counts.shared_load_requests
        + counts.shared_store_requests + counts.shared_atomic_requests
    )  # fmt: skip
    issued = (
        requests
        + counts.shuffles
        + counts.matches
        + counts.barriers
        + counts.products
        + instructions["issued"]
    )
    wavefronts = (
        counts.shared_wavefronts + 2 * counts.shared_atomic_wavefronts + counts.shuffles / 2
        + _MATCH_WAVEFRONTS * counts.matches
    )  # fmt: skip
    moved = traffic.read + traffic.written + traffic.excess + traffic.written_back
    terms = {
        "dram": moved / memory.dram_bytes_per_us,
        "l2": max(
            l2_sectors * SECTOR * scale / memory.l2_bytes_per_us,
            counts.partial_sectors * scale / memory.l2_partial_sectors_per_us,
            per_processor(l2_sectors * SECTOR, memory.l2_port_bytes_per_clock),
        ),
        "load_store": per_processor(
            counts.load_lines + counts.store_lines + counts.atomic_sectors, processor.lines_per_clock
        ),
        "shared": per_processor(wavefronts, processor.wavefronts_per_clock),
        "issue": max(
            per_processor(issued, processor.issue_per_clock),
            per_processor(instructions["fp32"], processor.fp32_per_clock),
            per_processor(instructions["special"], processor.special_per_clock),
            per_processor(instructions["fp64"], processor.fp64_per_clock),
        ),
        "matrix": sum(
            per_processor(count, rate)
            for count, rate in zip(counts.multiply_adds, processor.multiply_adds_per_clock, strict=True)
        ),
        "block_launch": blocks * chip.launch.block_ns * 1e-3,
        "atomics": _atomics(sample, chip),
    }
    latency, clocks = _latency(sample, traffic, chip, instructions["critical"])
    throughput = _norm(list(terms.values()), _THROUGHPUT_NORM)
    in_flight = min(sample.resident, rounds) * sample.warps
    in_step = sample.warps**_BARRIER_SHARE if sample.counts.barriers else 1.0
    total = _norm([throughput, latency], _overlap(in_flight / in_step))
    terms["latency"] = latency
    return LaunchTime(total, throughput, terms, _detail(sample, traffic, chip, clocks, in_flight))


def _atomics(sample: Sample, chip: Chip) -> float:
    """Microseconds: of the hottest address, of the hottest line, of all."""
    constants, hot = chip.atomics, sample.atomics
    # Whole numbers of one address are added up within a warp before they go out.
    same = hot.hottest_lanes if sample.counts.atomic_real_lanes else hot.hottest_requests
    line = min(
        hot.hot_line_sectors * constants.sector_of_line_ns, hot.hot_line_lanes * constants.same_address_ns
    )
    hottest = max(same * constants.same_address_ns, line)
    return max(
        hottest * hot.hot_blocks * sample.unlogged * 1e-3,
        sample.counts.atomic_lanes * sample.scale / constants.lanes_per_us,
    )


def _instructions(sample: Sample) -> dict[str, float]:
    i = sample.instructions
    if i is None:
        c = sample.counts
        requests = c.load_requests + c.store_requests + c.shared_load_requests + c.shared_store_requests
        guessed = _INSTRUCTIONS_PER_REQUEST * requests
        own = sample.critical
        return {
            "issued": guessed, "fp32": guessed / 2, "special": 0.0, "fp64": 0.0,
            "critical": _INSTRUCTIONS_PER_REQUEST * (own.loads + own.shared_loads) * sample.unlogged,
        }  # fmt: skip
    return {
        "issued": i.fp32
        + i.fp64
        + i.conversions
        + i.wide_conversions
        + _HALF_SHARE * i.half_conversions
        + i.special
        + _INTEGER_SHARE * i.integer
        + i.branches,
        "fp32": i.fp32 + _HALF_SHARE * i.half_conversions,
        "special": i.special + i.conversions / 4 + i.wide_conversions,
        "fp64": i.fp64,
        "critical": i.critical,
    }


def _latency(
    sample: Sample, traffic: DramTraffic, chip: Chip, instructions: float
) -> tuple[float, dict[str, float]]:
    """Microseconds of all waves, and the clocks of one block by their cause."""
    constants, critical, caches = chip.latency, sample.critical, sample.caches
    accesses = caches.l1_hits + caches.l1_misses
    missed = caches.l1_misses / accesses if accesses else 0.0
    below = caches.l1_misses * sample.scale * SECTOR
    from_dram = min(1.0, (traffic.read + traffic.excess) / below) if below else 0.0
    one_load = constants.l1 * (1 - missed) + missed * (
        constants.l2 * (1 - from_dram) + constants.dram * from_dram
    )
    own = sample.unlogged
    clocks = {
        "start": constants.block + constants.warp * sample.warps,
        "loads": critical.batches * own * one_load + critical.lines * own,
        "instructions": constants.instruction
        * (instructions + (critical.loads + critical.shared_loads) * own),
        "barriers": constants.barrier * critical.barriers,
        "shuffles": constants.shuffle * critical.shuffles,
        "shared": constants.shared_load * critical.shared_loads * own,
        "matrix": constants.multiply_adds * critical.multiply_adds,
    }
    waves = max(1.0, sample.blocks / (chip.processor.count * sample.resident))
    return chip.clocks_to_us(waves * sum(clocks.values())), clocks


def _overlap(units: float) -> float:
    """The norm that combines throughput and latency: with few units in flight their phases add up."""
    few, some, many = _OVERLAP
    for (low, at_low), (high, at_high) in ((few, some), (some, many)):
        if units <= high:
            share = max(0.0, math.log(max(units, 1) / low) / math.log(high / low))
            return at_low + (at_high - at_low) * share
    return many[1]


def _norm(values: list[float], p: float) -> float:
    largest = max(values)
    if largest <= 0:
        return 0.0
    return float(largest * sum((max(v, 0.0) / largest) ** p for v in values) ** (1 / p))


def _detail(
    sample: Sample, traffic: DramTraffic, chip: Chip, clocks: dict[str, float], in_flight: int
) -> dict[str, object]:
    """The evidence: what a reader of the estimate can check against the source."""
    c = sample.counts

    def ratio(part: float, whole: float) -> float | None:
        return round(part / whole, 3) if whole else None

    caches = sample.caches
    warps_held = chip.processor.threads // 32
    return {
        "kernel": sample.kernel,
        "grid": list(sample.grid),
        "block": list(sample.block),
        "blocks_sampled": sample.sampled,
        "sectors_per_load": ratio(c.load_sectors, c.load_requests),
        "sectors_per_store": ratio(c.store_sectors, c.store_requests),
        "bytes_used_of_loaded_sectors": ratio(c.load_bytes, c.load_sectors * SECTOR),
        "lanes_per_request": ratio(
            c.load_lanes + c.store_lanes + c.atomic_lanes,
            c.load_requests + c.store_requests + c.atomic_requests,
        ),
        "bank_conflict_degree": ratio(c.shared_wavefronts, c.shared_ideal),
        "l1_hit_rate": ratio(caches.l1_hits, caches.l1_hits + caches.l1_misses),
        "dram_bytes": round(traffic.read + traffic.written + traffic.excess),
        "occupancy": round(min(1.0, sample.resident * sample.warps / warps_held), 3),
        "occupancy_limiter": _limiter(sample, chip),
        "warps_in_flight": in_flight,
        "registers": sample.registers,
        "spill_bytes": sample.spill_bytes,
        "instructions": "counted" if sample.instructions is not None else "guessed",
        "clocks_of_critical_warp": {k: round(v) for k, v in clocks.items() if v},
    }


def _limiter(sample: Sample, chip: Chip) -> str:
    processor = chip.processor
    rounded = sample.warps * 32
    bounds = {
        "threads": processor.threads // rounded,
        "shared_memory": processor.shared_bytes // (sample.shared_static + sample.shared_dynamic + 1024),
        "blocks": processor.blocks,
    }
    by_registers = sample.by_registers(processor.registers)
    if by_registers is not None:
        bounds["registers"] = by_registers
    if (
        sample.blocks <= processor.count * min(bounds.values())
        and sample.blocks < processor.count * bounds["threads"]
    ):
        return "grid"
    return min(bounds, key=lambda name: bounds[name])
