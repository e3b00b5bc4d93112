"""The constants of the chips: one table each in `chips/`, every constant with its source beside it."""

from itertools import pairwise
from math import log
from pathlib import Path

from kernelwright_backends.core.chip_tables import ChipTables
from kernelwright_backends.core.model import Model


class Cores(Model):
    cube: int
    vector: int
    clock_ghz: float
    unified_buffer_bytes: int


class Memory(Model):
    """Memory and L2 of the whole chip."""

    dram_bytes_per_us: float
    bypass_gain: float
    l2_bytes_per_us: float
    l2_bytes: int
    unaligned_share: float
    copy_share: tuple[tuple[float, float], ...]

    def share(self, copy_bytes: float) -> float:
        """What part of the bandwidth copies of this size reach, all cores together; between the table's sizes by the
        logarithm."""
        sizes = self.copy_share
        if copy_bytes <= sizes[0][0]:
            return sizes[0][1]
        for (small, low), (large, high) in pairwise(sizes):
            if copy_bytes <= large:
                return low + (high - low) * log(copy_bytes / small) / log(large / small)
        return sizes[-1][1]


class Copies(Model):
    gm_to_ub_bytes_per_clock: float
    gm_to_ub_latency_ns: float
    l2_read_bytes_per_clock: float
    ub_to_gm_bytes_per_clock: float
    ub_to_gm_latency_ns: float
    ub_to_ub_bytes_per_clock: float
    gm_to_l1_bytes_per_clock: float
    l1_to_l0a_bytes_per_clock: float
    l1_to_l0b_bytes_per_clock: float
    l0c_to_gm_bytes_per_clock: float
    copy_clocks: float


class Vector(Model):
    start_clocks: float
    conflict_read_read: float
    conflict_read_write: float
    issue_clocks: float


class Scalar(Model):
    queue_clocks: float
    get_clocks: float
    load_use_clocks: float
    set_clocks: float
    reduction_clocks: float


class Cube(Model):
    multiply_clocks: float
    start_clocks: float


class LaunchOverhead(Model):
    start_us: float
    barrier_us: float


class Chip(Model):
    product: str
    architecture: str
    measured: bool
    cores: Cores
    memory: Memory
    copies: Copies
    vector: Vector
    scalar: Scalar
    cube: Cube
    launch: LaunchOverhead

    def at_clock(self, clock_ghz: float) -> "Chip":
        """The same chip at another clock of its cores."""
        return self.model_copy(update={"cores": self.cores.model_copy(update={"clock_ghz": clock_ghz})})


_TABLES = ChipTables(Path(__file__).resolve().parent.parent / "chips", Chip)
find_chip = _TABLES.find
known_products = _TABLES.products
