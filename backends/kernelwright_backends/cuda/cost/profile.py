"""A summary of each kernel of a traced call: registers, occupancy, bytes, operations, bottleneck."""

from collections.abc import Sequence
from typing import Any

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cost.bottleneck import bottleneck_of
from kernelwright_backends.cuda.cost.chip import Chip, find_chip
from kernelwright_backends.cuda.cost.counters import Sample, Trace, blocks_by_registers
from kernelwright_backends.cuda.cost.dram_traffic import DramTraffic
from kernelwright_backends.cuda.cost.launch import LaunchTime

_MOST = 32


def profiles(
    trace: Trace, steps: Sequence[tuple[LaunchTime, DramTraffic]], chip: Chip
) -> list[dict[str, Any]]:
    """One row a kernel, the longest first; bytes, operations and time are of all its launches, the rest of the longest.

    `occupancy` is what threads, shared memory and registers leave room for; without `registers` it is an upper bound.
    """
    by_kernel: dict[str, list[tuple[Sample, LaunchTime, DramTraffic]]] = {}
    for launch, (step, traffic) in zip(trace.launches, steps, strict=True):
        if isinstance(launch, Sample):
            by_kernel.setdefault(launch.kernel, []).append((launch, step, traffic))
    rows = [_profile(launches, chip) for launches in by_kernel.values()]
    return sorted(rows, key=lambda row: -row["time_us"])[:_MOST]


def _profile(launches: Sequence[tuple[Sample, LaunchTime, DramTraffic]], chip: Chip) -> dict[str, Any]:
    sample, step, traffic = max(launches, key=lambda launch: launch[1].total_us)
    loaded = stored = operations = dram = 0.0
    for one, _, moved in launches:
        for site in one.sites:
            asked = 0.0 if site.shared else site.lanes * site.size * one.scale
            loaded += asked if site.how != "store" else 0.0
            stored += asked if site.how != "load" else 0.0
        dram += moved.read + moved.written + moved.excess
        tensor = 2.0 * sum(one.counts.multiply_adds) * one.scale
        operations += tensor + (one.instructions.lane_flops * one.scale if one.instructions else 0.0)
    counted = all(one.instructions is not None for one, _, _ in launches)
    terms = sorted(step.terms.items(), key=lambda term: -term[1])[:3]
    return {
        "kernel": sample.kernel,
        "launches": len(launches),
        "grid": sample.grid,
        "block": sample.block,
        "time_us": round(sum(one.total_us for _, one, _ in launches), 3),
        "registers": sample.registers,
        "spill_bytes": sample.spill_bytes if sample.registers is not None else None,
        "shared_static_bytes": sample.shared_static,
        "shared_dynamic_bytes": sample.shared_dynamic,
        "occupancy": step.detail["occupancy"],
        "occupancy_limiter": step.detail["occupancy_limiter"],
        "loaded_bytes": round(loaded),
        "stored_bytes": round(stored),
        "dram_bytes": round(dram),
        "flops": round(operations) if counted else None,
        "bottleneck": bottleneck_of(step.terms, sample, traffic, chip, 0.0).value,
        "terms_us": {name: round(value, 3) for name, value in terms if value >= 0.0005},
    }


def occupancy_of(block: Sequence[int], shared_bytes: int, registers: int, chip: Chip) -> tuple[float, str]:
    """Share of a processor's warps that fit on it at once, and what leaves no space for more.

    Args:
        block: threads in each direction.
        shared_bytes: of a block, static and dynamic.
        registers: of a thread, as nvcc allots them.
    """
    warps = -(-(block[0] * block[1] * block[2]) // 32)
    processor = chip.processor
    rooms = {
        "threads": processor.threads // (warps * 32),
        "shared_memory": processor.shared_bytes // (shared_bytes + 1024),
        "blocks": processor.blocks,
        "registers": blocks_by_registers(registers, warps, processor.registers),
    }
    limiter = min(rooms, key=lambda name: rooms[name])
    return min(1.0, rooms[limiter] * warps / (processor.threads // 32)), limiter


def occupancy(
    target: Target, block: Sequence[int], shared_bytes: int, registers: int
) -> tuple[float, str] | None:
    """See `Occupancy.occupancy`."""
    chip = find_chip(target)
    return occupancy_of(block, shared_bytes, registers, chip) if chip is not None else None
