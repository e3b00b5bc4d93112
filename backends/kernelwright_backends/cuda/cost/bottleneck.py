"""Which of the bottleneck states the terms of an estimate speak for (docs/development/agent.md, Bottlenecks)."""

from collections.abc import Mapping

from kernelwright_backends.cuda.cost.chip import Chip
from kernelwright_backends.cuda.cost.counters import Sample
from kernelwright_backends.cuda.cost.dram_traffic import DramTraffic
from kernelwright_backends.interfaces.cost import Bottleneck

_CLOSE = 0.95  # two terms this near bound together
_FEW_LANES = 16
_LOW_OCCUPANCY = 0.5


def bottleneck_of(
    terms: Mapping[str, float], sample: Sample, traffic: DramTraffic, chip: Chip, overhead_us: float
) -> Bottleneck:
    """Of the launch that takes longest; `overhead_us` is that of all launches together."""
    ordered = sorted(terms.items(), key=lambda item: -item[1])
    (name, first), (second_name, second) = ordered[0], ordered[1]
    if overhead_us > first:
        return Bottleneck.LAUNCH_OVERHEAD_DOMINANT
    if second > _CLOSE * first and {name, second_name} != {"dram", "l2"}:
        return Bottleneck.BALANCED
    counts = sample.counts
    requests = counts.load_requests + counts.store_requests + counts.atomic_requests
    lanes = counts.load_lanes + counts.store_lanes + counts.atomic_lanes
    match name:
        case "dram":
            wasteful = traffic.excess > 0.5 * (traffic.read + traffic.written)
            return Bottleneck.CACHE_INEFFICIENT if wasteful else Bottleneck.MEMORY_BANDWIDTH_SATURATED
        case "l2" | "load_store":
            return Bottleneck.CACHE_INEFFICIENT
        case "shared":
            conflicts = counts.shared_wavefronts > 1.5 * counts.shared_ideal or counts.shared_atomic_requests
            return (
                Bottleneck.SHARED_MEMORY_BANK_CONFLICTS
                if conflicts
                else Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL
            )
        case "matrix":
            return Bottleneck.COMPUTE_SATURATED
        case "issue":
            if requests and lanes < _FEW_LANES * requests:
                return Bottleneck.THREAD_DIVERGENCE_HIGH
            return Bottleneck.COMPUTE_SATURATED
        case "block_launch":
            return Bottleneck.LAUNCH_OVERHEAD_DOMINANT
        case "atomics":
            return Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL
    return _of_latency(sample, chip)


def _of_latency(sample: Sample, chip: Chip) -> Bottleneck:
    processor = chip.processor
    held = processor.threads // 32
    if sample.blocks * sample.warps < processor.count * held * _LOW_OCCUPANCY:
        return Bottleneck.INSUFFICIENT_PARALLELISM
    by_registers = sample.by_registers(processor.registers)
    if (
        by_registers is not None
        and by_registers * sample.warps < held * _LOW_OCCUPANCY
        and by_registers <= sample.resident
    ):
        return Bottleneck.LOW_OCCUPANCY_REGISTERS
    by_shared = processor.shared_bytes // (sample.shared_static + sample.shared_dynamic + 1024)
    if by_shared * sample.warps < held * _LOW_OCCUPANCY and by_shared <= sample.resident:
        return Bottleneck.LOW_OCCUPANCY_SHARED_MEMORY
    return Bottleneck.MEMORY_LATENCY_BOUND
