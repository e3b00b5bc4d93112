"""How long one event keeps its unit, and how long the scalar unit takes to hand it over."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kernelwright_backends.ascendc.cost.chip import Chip
from kernelwright_backends.ascendc.cost.trace import Event

_REPEAT_BYTES = 256
_QUEUE = frozenset({"AllocTensor", "EnQue", "DeQue", "FreeTensor"})
BARRIERS = frozenset({"PipeBarrier", "pipe_barrier"})
_CROSS = frozenset({"CrossCoreSetFlag", "CrossCoreWaitFlag", "IBSet", "IBWait"})
_REDUCTIONS = frozenset({"ReduceSum", "ReduceMax", "ReduceMin"})


class Cost(NamedTuple):
    """Clocks. `latency` passes after the unit is free for the next event before the result can be used."""

    issue: float
    busy: float
    latency: float = 0.0


@cache
def _tables() -> dict[str, Any]:
    file = Path(__file__).with_name("instructions.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _rates() -> dict[str, tuple[float, float]]:
    """API -> clocks a repeat for 4-byte and for 2-byte elements."""
    tables = _tables()
    return {
        name: (float(tables["vector"][kind][0]), float(tables["vector"][kind][1]))
        for kind, names in tables["classes"].items()
        for name in names
    }


def cost_of(event: Event, chip: Chip) -> Cost:
    """What an event costs on a core of `chip`, nobody else using the memory."""
    if event.op in BARRIERS or event.is_flag or event.op in _CROSS:
        # Handed to the unit that waits or tells; queues do the same for each of their four steps.
        clocks = chip.scalar.queue_clocks
        return Cost(0, clocks) if event.pipe == "S" else Cost(clocks, 0)
    if event.pipe == "S":
        return _scalar(event, chip)
    if event.pipe == "V":
        return _vector(event, chip)
    if event.pipe == "M":
        return _multiply(event, chip)
    return _copy(event, chip)


def _scalar(event: Event, chip: Chip) -> Cost:
    scalar = chip.scalar
    if event.op == "GetValue":
        return Cost(0, scalar.get_clocks * event.count, scalar.load_use_clocks * event.count)
    if event.op == "SetValue":
        return Cost(0, scalar.set_clocks * event.count)
    if event.op in _QUEUE:
        return Cost(0, scalar.queue_clocks)
    return Cost(0, scalar.get_clocks * event.count)


def _vector(event: Event, chip: Chip) -> Cost:
    vector, issue = chip.vector, chip.vector.issue_clocks
    repeats = event.repeats or -(-event.elements * event.element_bytes // _REPEAT_BYTES)
    wide = event.element_bytes >= 4
    if event.op in _REDUCTIONS:
        kind = "row_sum" if event.op == "ReduceSum" else "row_extreme"
        rate = float(_tables()["vector"][kind][0 if wide else 1])
        lanes = _REPEAT_BYTES // event.element_bytes
        busy, left = 0.0, max(repeats, 1)
        while True:  # one value a repeat, until one is left
            busy += left * rate + vector.start_clocks
            if left == 1:
                break
            left = -(-left // lanes)
        return Cost(issue + chip.scalar.reduction_clocks, busy)
    passes = _tables()["passes"].get(event.op)
    if passes is not None:
        return Cost(issue * passes, passes * (repeats * 1.5 + vector.start_clocks))
    four, two = _rates().get(event.op, (2.0, 2.0))
    conflict = {"read_read": vector.conflict_read_read, "read_write": vector.conflict_read_write}
    rate = (four if wide else two) * conflict.get(event.conflict, 1.0)
    return Cost(issue, repeats * rate + vector.start_clocks)


def _multiply(event: Event, chip: Chip) -> Cost:
    m, n, k = event.shape
    depth = {1: 32, 2: 16}.get(event.element_bytes, 4)
    cubes = -(-m // 16) * -(-n // 16) * -(-k // depth)
    return Cost(chip.vector.issue_clocks, cubes * chip.cube.multiply_clocks + chip.cube.start_clocks)


def _copy(event: Event, chip: Chip) -> Cost:
    copies, clock = chip.copies, chip.cores.clock_ghz
    rate, latency_ns = {
        "MTE2": (copies.gm_to_ub_bytes_per_clock, copies.gm_to_ub_latency_ns),
        "MTE3": (copies.ub_to_gm_bytes_per_clock, copies.ub_to_gm_latency_ns),
        "FIX": (copies.l0c_to_gm_bytes_per_clock, copies.ub_to_gm_latency_ns),
        "MTE1": (copies.l1_to_l0a_bytes_per_clock, 0.0),
    }[event.pipe]
    if event.op.endswith("L1"):
        rate = copies.gm_to_l1_bytes_per_clock
    elif event.op.endswith("L0B"):
        rate = copies.l1_to_l0b_bytes_per_clock
    cached = min(event.cached_bytes, event.bytes) if event.pipe == "MTE2" else 0
    busy = (event.bytes - cached) / rate + cached / max(copies.l2_read_bytes_per_clock, rate)
    return Cost(copies.copy_clocks, copies.copy_clocks / 2 + busy, latency_ns * clock)
