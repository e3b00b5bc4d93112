"""A chip's table in words, for who writes a kernel for it."""

from kernelwright_backends.ascendc.cost.chip import find_chip
from kernelwright_backends.core.target import Target

# Of the 910B, whatever the product: platform configuration.
_L1_KB, _L0_KB, _L0C_KB = 512, 64, 128
_RESERVED_BYTES = 256
_REPEAT_BYTES = 256
_CUBE_MULTIPLY_ADDS = 16 * 16 * 16


def chip_facts(target: Target) -> tuple[str, ...]:
    """Cores, memories, rates and the cost of a launch, one line each; empty where the chip has no table."""
    chip = find_chip(target)
    if chip is None:
        return ()
    cores, memory, copies = chip.cores, chip.memory, chip.copies
    small, large = memory.copy_share[0], memory.copy_share[-2]
    multiplied = cores.cube * _CUBE_MULTIPLY_ADDS / chip.cube.multiply_clocks * cores.clock_ghz * 2 / 1e3
    return (
        f"{cores.vector} vector cores and {cores.cube} cube cores at {cores.clock_ghz:g} GHz; use all of them",
        f"unified buffer of a vector core: {cores.unified_buffer_bytes} bytes, of which {_RESERVED_BYTES} are taken",
        f"cube core: L1 {_L1_KB} KB, L0A and L0B {_L0_KB} KB each, L0C {_L0C_KB} KB; vector and cube cores exchange data through global memory",
        f"global memory: {memory.dram_bytes_per_us / 1e6:.1f} TB/s; L2: {memory.l2_bytes >> 20} MB, {memory.l2_bytes_per_us / 1e6:.1f} TB/s",
        f"copies of {small[0]:.0f} bytes reach {small[1]:.0%} of that, copies of {large[0]:.0f} bytes {large[1]:.0%}: make tiles of 16 KB and more; "
        "addresses at multiples of 512 bytes are fastest",
        f"one core reads {copies.gm_to_ub_bytes_per_clock:.0f} bytes a clock from global memory and writes {copies.ub_to_gm_bytes_per_clock:.0f}",
        f"vector unit: {_REPEAT_BYTES} bytes a clock; an instruction costs {chip.vector.start_clocks:.0f} clocks to start, so let each do a whole tile",
        f"a reduction to one number, read by the scalar unit, costs about {chip.scalar.reduction_clocks:.0f} clocks; GetValue and SetValue in a loop "
        "are slower than anything else",
        f"cube unit: {multiplied:.0f} TFLOP/s for half with float sums",
        f"a launch costs {chip.launch.start_us:.1f} us, SyncAll {chip.launch.barrier_us:.0f} us",
    )
