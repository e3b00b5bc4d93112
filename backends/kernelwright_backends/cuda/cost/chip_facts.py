"""A chip's table in words, for who writes a kernel for it."""

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cost.chip import find_chip

_LANES = 32
_REGISTERS_A_THREAD = 255
# Of shared memory the system keeps a part of each block's.
_RESERVED_BYTES = 1024


def chip_facts(target: Target) -> tuple[str, ...]:
    """Units, memories, rates and the cost of a launch, one line each; empty where the chip has no table."""
    chip = find_chip(target)
    if chip is None:
        return ()
    own, memory, clock = chip.processor, chip.memory, chip.processor.clock_ghz

    def tera(multiply_adds_per_clock: float) -> str:
        return f"{own.count * multiply_adds_per_clock * clock * 2 / 1e3:.0f} TFLOP/s"

    halves, short, bytes_, doubles = own.multiply_adds_per_clock
    return (
        f"{own.count} multiprocessors at {clock:g} GHz; each holds {own.threads} threads, {own.blocks} blocks, {own.registers} registers "
        f"(at most {_REGISTERS_A_THREAD} a thread) and {own.shared_bytes // 1024} KB of shared memory",
        f"shared memory of one block: at most {(own.shared_bytes - _RESERVED_BYTES) // 1024} KB, 48 KB without asking; 32 banks of 4 bytes",
        f"DRAM: {memory.dram_bytes_per_us / 1e6:.2f} TB/s reached at best; L2: {memory.l2_bytes / 1e6:.0f} MB, "
        f"{memory.l2_read_bytes_per_us / 1e6:.1f} TB/s read; whole sectors of 32 bytes, best whole lines of 128",
        f"float32 without tensor cores: {tera(own.fp32_per_clock * _LANES)}; double: {tera(own.fp64_per_clock * _LANES)}",
        f"tensor cores by mma.sync: {tera(halves)} for half and bfloat16, {tera(short)} for TF32, {tera(bytes_)} for 8-bit integers, "
        f"{tera(doubles)} for double",
        f"special functions (exp, rsqrt, ...): {own.special_per_clock * _LANES:.0f} a clock and multiprocessor",
        f"latency in clocks: L1 and shared memory {chip.latency.l1:.0f}, L2 {chip.latency.l2:.0f}, DRAM {chip.latency.dram:.0f}, "
        f"shuffle {chip.latency.shuffle:.0f}, barrier {chip.latency.barrier:.0f} and more",
        f"a launch costs {chip.launch.first_us:.1f} us, each further one that waits for it {chip.launch.next_us:.1f} us",
        f"atomics on one address: {chip.atomics.same_address_ns:.1f} ns each",
    )
