"""What bounds a launch, from the time line of its slowest core."""

from kernelwright_backends.ascendc.cost.chip import Chip
from kernelwright_backends.ascendc.cost.timeline import Timeline
from kernelwright_backends.ascendc.cost.trace import Trace
from kernelwright_backends.interfaces.cost import Bottleneck

_SMALL_COPY_BYTES = 16384
_LEADS = 0.6
_NEAR = 0.85


def bottleneck_of(
    trace: Trace, timeline: Timeline, memory_us: float, start_us: float, chip: Chip
) -> Bottleneck:
    """One state for a launch."""
    cores_us = timeline.length_us
    longer = max(cores_us, memory_us)
    if start_us > longer:
        return Bottleneck.LAUNCH_OVERHEAD_DOMINANT
    if memory_us >= cores_us:
        return Bottleneck.MEMORY_BANDWIDTH_SATURATED
    cube = "M" in timeline.busy_us
    there = chip.cores.cube if cube else chip.cores.vector
    # Kernels of both kinds have a cube core and two vector cores a block; their trace lists all three.
    if trace.core_count <= there // 2:
        return Bottleneck.INSUFFICIENT_PARALLELISM
    busy = sorted(timeline.busy_us.items(), key=lambda item: -item[1])
    pipe, most = busy[0]
    if most < _LEADS * cores_us:
        return Bottleneck.MEMORY_LATENCY_BOUND  # the units wait for each other: nothing overlaps
    if len(busy) > 1 and busy[1][1] > _NEAR * most:
        return Bottleneck.BALANCED
    if pipe == "S":
        return Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL
    if pipe == "V":
        vector = [event for event in trace.cores[0].events if event.pipe == "V"]
        meeting = sum(event.conflict != "" for event in vector)
        if meeting > len(vector) // 2:
            return Bottleneck.SHARED_MEMORY_BANK_CONFLICTS
        return Bottleneck.COMPUTE_SATURATED
    if pipe == "M":
        return Bottleneck.COMPUTE_SATURATED
    copies = [event.bytes for event in trace.cores[0].events if event.pipe == pipe]
    small = sum(copies) < _SMALL_COPY_BYTES * len(copies)
    return Bottleneck.MEMORY_LATENCY_BOUND if small else Bottleneck.MEMORY_BANDWIDTH_SATURATED
