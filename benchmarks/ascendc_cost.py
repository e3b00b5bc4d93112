"""The Ascend C cost model against every published time of the 910B that the project knows.

    python benchmarks/ascendc_cost.py

No device takes part: the rows are other people's measurements, the kernels are described here as traces of our own. Sources:
*steps*, the performance pages of asc-devkit's examples (910B1, 1.85 GHz); *operators*, the table of
BobbyWeng/cannbot-ascendc-vs-pypto (20 blocks of a 910B at 1.65 GHz by its own clock records, tiles of 8192 elements, two buffers; the
shapes are those of its host programs, which for equal, not, or and where differ from those its table names). Rows with
`fitted` were looked at when constants were chosen; the others were not. What the model does not describe has no estimate and says why.
"""

import argparse
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from lib import record

from kernelwright_backends.ascendc.cost import Chip, Trace, find_chip
from kernelwright_backends.ascendc.cost.estimate import launch_time
from kernelwright_backends.core.target import Target

Events = list[dict[str, Any]]
_BATCHES = (1, 2, 4, 8, 16, 32, 64)
_ELEMENTS = 256 * 384  # of one batch of the operators
_TILE = 8192


class Row(NamedTuple):
    source: str
    case: str
    kind: str
    """streaming, scalar, matrix, or the name of one unit whose busy time is meant."""
    published_us: float
    trace: Callable[[], dict[str, Any]] | None
    fitted: bool = False
    reason: str = ""


class Loop:
    """The events of copy in, compute, copy out over tiles, through queues."""

    def __init__(self, buffers: int) -> None:
        self.events: Events = []
        self._buffers = buffers
        self._used: dict[int, int] = {}

    def queue(self, what: str) -> None:
        self.events.append({"pipe": "S", "op": what})

    def copy_in(self, queue: int, size: int, **more: Any) -> None:
        self.queue("AllocTensor")
        event = {"pipe": "MTE2", "op": "DataCopy", "bytes": size, "set": [10 * queue], **more}
        self.events.append(event | self._when_free(queue))
        self.queue("EnQue")

    def compute(self, inputs: list[int], output: int | None, operations: Events) -> None:
        """Vector instructions between taking tensors off queues and giving them back."""
        for _ in inputs:
            self.queue("DeQue")
        if output is not None:
            self.queue("AllocTensor")
        first, last = operations[0], operations[-1]
        first["wait"] = [10 * queue for queue in inputs]
        last["set"] = [10 * queue + 1 for queue in inputs]
        if output is not None:
            first["wait"] += self._when_free(output).get("wait", [])
            last["set"] = [*last["set"], 10 * output]
        self.events += operations
        if output is not None:
            self.queue("EnQue")
        for _ in inputs:
            self.queue("FreeTensor")

    def copy_out(self, queue: int, size: int, **more: Any) -> None:
        self.queue("DeQue")
        event = {
            "pipe": "MTE3",
            "op": "DataCopy",
            "bytes": size,
            "wait": [10 * queue],
            "set": [10 * queue + 1],
            **more,
        }
        self.events.append(event)
        self.queue("FreeTensor")

    def _when_free(self, queue: int) -> dict[str, Any]:
        used = self._used.get(queue, 0)
        self._used[queue] = used + 1
        return {"wait": [10 * queue + 1]} if used >= self._buffers else {}


def vector(op: str, elements: int, dtype: str = "half", conflict: str = "") -> dict[str, Any]:
    return {"pipe": "V", "op": op, "elements": elements, "dtype": dtype, "conflict": conflict}


def scalar(op: str, count: int, **more: Any) -> dict[str, Any]:
    return {"pipe": "S", "op": op, "count": count, **more}


def launch(cores: int, events: Events, **more: Any) -> dict[str, Any]:
    return {"cores": [{"core": core, "events": events} for core in range(cores)], **more}


# ---- steps: a vector addition of 8192 x 8192 half, copies, matrices --------------------------------------------------

_SIDE = 8192


def addition(
    cores: int, tile: int, buffers: int, *, bypass: bool = False, conflict: str = "read_read"
) -> Any:
    def make() -> dict[str, Any]:
        loop = Loop(buffers)
        for _ in range(round(_SIDE * _SIDE / cores / tile)):
            loop.copy_in(1, tile * 2, bypass=bypass)
            loop.copy_in(2, tile * 2, bypass=bypass)
            loop.compute([1, 2], 3, [vector("Add", tile, conflict=conflict)])
            loop.copy_out(3, tile * 2, bypass=bypass)
        return launch(cores, loop.events)

    return make


def scalar_addition() -> dict[str, Any]:
    count = _SIDE * _SIDE
    return launch(1, [scalar("GetValue", count), scalar("Other", count), scalar("SetValue", count)])


def repeats(conflict: str) -> Any:
    return lambda: launch(1, [vector("Add", 64 * 128, conflict=conflict) for _ in range(1000)])


def copies(
    size: int, *, times: int = 1, cached: bool = False, aligned: bool = True, op: str = "DataCopy"
) -> Any:
    def make() -> dict[str, Any]:
        number = round(12288 * 12288 * 2 / 48 / size)
        events: Events = []
        for turn in range(times):
            seen = size if cached and turn else 0
            event = {"pipe": "MTE2", "op": op, "bytes": size, "aligned": aligned, "cached_bytes": seen}
            events += [event] * number
        return launch(48, events)

    return make


def matrix() -> dict[str, Any]:
    tiles = (8192 // 128) * (8192 // 256) // 24
    event = {"pipe": "M", "op": "Mmad", "shape": [128, 256, 8192], "dtype": "half"}
    return launch(24, [event] * tiles)


_STEPS = [
    Row("steps", "add scalar, 1 core", "scalar", 1239689.1, scalar_addition),
    Row("steps", "add 1 core, 8 KB copies", "streaming", 6909.6, addition(1, 4096, 1)),
    Row("steps", "add 48 cores, 8 KB copies", "streaming", 306.58, addition(48, 4096, 1), fitted=True),
    Row("steps", "add 48 cores, 32 KB copies", "streaming", 268.5, addition(48, 16384, 1), fitted=True),
    Row("steps", "add + two buffers", "streaming", 264.02, addition(48, 16384, 2)),
    Row("steps", "add + L2 bypass", "streaming", 187.68, addition(48, 16384, 2, bypass=True), fitted=True),
    Row("steps", "add + no bank conflict", "streaming", 184.52, addition(48, 16384, 2, bypass=True, conflict="")),
    Row("steps", "add 1 core: vector unit busy", "V", 761.65, addition(1, 4096, 1)),
    Row("steps", "add + L2 bypass: vector unit busy", "V", 12.846, addition(48, 16384, 2)),
    Row("steps", "add + no bank conflict: vector unit busy", "V", 6.954, addition(48, 16384, 2, conflict="")),
    Row("steps", "64 repeats x 1000, no conflict", "V", 2390 / 50, repeats(""), fitted=True),
    Row("steps", "64 repeats x 1000, read-read", "V", 4167 / 50, repeats("read_read"), fitted=True),
    Row("steps", "64 repeats x 1000, read-write", "V", 3751 / 50, repeats("read_write"), fitted=True),
    Row("steps", "copy tile [1,64]", "streaming", 564.84, copies(128), fitted=True),
    Row("steps", "copy tile [64,64]", "streaming", 233.54, copies(8192)),
    Row("steps", "copy tile [64,1024]", "streaming", 215.82, copies(131072)),
    Row("steps", "copy, rows not aligned", "streaming", 275.3, copies(131072, aligned=False), fitted=True),
    Row("steps", "copy 4 times", "streaming", 828.06, copies(131072, times=4)),
    Row("steps", "copy 4 times in parts that fit L2", "streaming", 365.74, copies(131072, times=4, cached=True)),
    Row("steps", "copy, all cores the same address", "streaming", 539.42, None, reason="cores that meet in one line are not modelled"),
    Row("steps", "copy, shifted starts", "streaming", 328.88, None, reason="cores that meet in one line are not modelled"),
    Row("steps", "GM to L1, first", "streaming", 300.7, None, reason="its copies' sizes are not known"),
    Row("steps", "GM to L1, second", "streaming", 230.24, copies(131072, op="DataCopyL1")),
    Row("steps", "GM to L1, third", "streaming", 438.76, None, reason="its copies' sizes are not known"),
    Row("steps", "matmul 8192^3, cube unit busy", "M", 3076.0, matrix),
    *(
        Row("steps", f"matmul 8192^3, {name}", "matrix", us, None, reason="for matrices only the bound of the cube units is given")
        for name, us in (("1 core", 759364.0), ("24 cores", 12541.0), ("MDL", 5039.9), ("L2 tiling", 4156.8), ("last step", 4012.4),
                         ("basic interface", 4121.0), ("basic interface, tuned", 4081.0))
    ),
]  # fmt: skip
_ORDERS = (
    ["add scalar, 1 core", "add 1 core, 8 KB copies", "add 48 cores, 8 KB copies", "add 48 cores, 32 KB copies", "add + two buffers",
     "add + L2 bypass", "add + no bank conflict"],
    ["copy tile [1,64]", "copy tile [64,64]", "copy tile [64,1024]"],
    ["copy, rows not aligned", "copy tile [64,1024]"],
    ["copy 4 times", "copy 4 times in parts that fit L2"],
    ["64 repeats x 1000, read-read", "64 repeats x 1000, read-write", "64 repeats x 1000, no conflict"],
)  # fmt: skip


# ---- operators -----------------------------------------------------------------------------------------------------


def tiles_of(elements: int) -> tuple[int, int]:
    """(cores, tiles of the fullest core)."""
    tiles = -(-elements // _TILE)
    cores = min(20, tiles)
    return cores, -(-tiles // cores)


def elementwise(
    inputs: int, size_in: int, size_out: int, make: Callable[[], Events], per_batch: int = _ELEMENTS
) -> Any:
    def of(batch: int) -> Callable[[], dict[str, Any]]:
        def trace() -> dict[str, Any]:
            cores, tiles = tiles_of(batch * per_batch)
            loop = Loop(2)
            for _ in range(tiles):
                for queue in range(inputs):
                    loop.copy_in(queue, _TILE * size_in)
                loop.compute(list(range(inputs)), 9, make())
                loop.copy_out(9, _TILE * size_out)
            # They measured in a loop over the same tensors, which fit L2.
            moved = batch * per_batch * (inputs * size_in + size_out)
            return launch(cores, loop.events, unique_bytes=moved, warm=True)

        return trace

    return of


def rows_of(batch: int, of_row: Callable[[Loop], None]) -> dict[str, Any]:
    loop = Loop(2)
    for _ in range(-(-batch * 256 // 20)):
        of_row(loop)
    return launch(20, loop.events)


def expand(batch: int) -> Callable[[], dict[str, Any]]:
    def of_row(loop: Loop) -> None:
        loop.copy_in(1, 2)
        read = scalar("GetValue", 1, wait=[10])
        loop.compute([], 2, [vector("Duplicate", 384)])
        loop.events.insert(-2, read)
        loop.events[-2]["set"] = [*loop.events[-2]["set"], 11]
        loop.queue("DeQue")
        loop.queue("FreeTensor")
        loop.copy_out(2, 768)

    return lambda: rows_of(batch, of_row)


def reduce_sum(batch: int) -> Callable[[], dict[str, Any]]:
    def of_row(loop: Loop) -> None:
        loop.copy_in(1, 768)
        loop.compute([1], 2, [vector("ReduceSum", 384)])
        loop.copy_out(2, 2)

    return lambda: rows_of(batch, of_row)


def transpose(batch: int) -> Callable[[], dict[str, Any]]:
    def trace() -> dict[str, Any]:
        loop = Loop(2)
        for _ in range(-(-batch * 96 // 20)):
            loop.copy_in(1, 64)
            loop.events += [{"pipe": "MTE2", "op": "DataCopy", "bytes": 64, "set": [10]} for _ in range(31)]
            waits = [10] * 32
            loop.compute([], 2, [scalar("GetValue", 1024, wait=waits), scalar("SetValue", 1024)])
            loop.events[-2]["set"] = [*loop.events[-2]["set"], 11]
            loop.events += [{"pipe": "MTE3", "op": "DataCopy", "bytes": 64, "wait": [20]} for _ in range(31)]
            loop.copy_out(2, 64)
        return launch(20, loop.events)

    return trace


def div(batch: int) -> Callable[[], dict[str, Any]]:
    def make() -> Events:
        rows: Events = []
        for _ in range(32):
            rows += [scalar("GetValue", 1), vector("Duplicate", 256), vector("Div", 256)]
        return rows

    def trace() -> dict[str, Any]:
        cores, tiles = tiles_of(batch * 12 * 256 * 256)
        loop = Loop(2)
        for _ in range(tiles):
            loop.copy_in(1, _TILE * 2)
            loop.copy_in(2, 64)
            loop.compute([1, 2], 3, make())
            loop.copy_out(3, _TILE * 2)
        return launch(cores, loop.events)

    return trace


def equal_steps() -> Events:
    steps: Events = []
    for _ in range(_TILE // 128):
        steps.append({**vector("Compare", 128), "set": [100]})
        steps += [scalar("GetValue", 16, wait=[100]), scalar("SetValue", 128)]
    return steps


def where_steps() -> Events:
    return [
        {**vector("Cast", _TILE), "set": [100]},
        scalar("GetValue", _TILE, wait=[100]),
        scalar("Other", 2 * _TILE),
        scalar("SetValue", _TILE),
    ]


def not_steps() -> Events:
    return [vector("Cast", _TILE), vector("Duplicate", _TILE), vector("Sub", _TILE), vector("Cast", _TILE)]


def or_steps() -> Events:
    return [vector("Cast", _TILE), vector("Cast", _TILE), vector("Max", _TILE), vector("Cast", _TILE)]


_PUBLISHED: list[tuple[str, str, Callable[[int], Any], tuple[float, ...], int]] = [
    ("relu", "streaming", elementwise(1, 2, 2, lambda: [vector("Relu", _TILE)]), (9.50, 11.68, 14.18, 10.54, 10.82, 14.28, 20.96), 64),
    ("mul", "streaming", elementwise(2, 2, 2, lambda: [vector("Mul", _TILE)]), (11.16, 13.36, 15.52, 10.88, 14.10, 20.84, 32.94), 0),
    ("add4", "streaming", elementwise(4, 2, 2, lambda: [vector("Add", _TILE) for _ in range(3)]), (13.78, 19.26, 17.68, 14.94, 22.54, 33.38, 54.60), 0),
    ("div by rows", "scalar", div, (18.64, 28.94, 50.94, 101.06, 156.76, 306.53, 687.09), 64),
    ("equal", "scalar", elementwise(2, 2, 1, equal_steps), (49.98, 93.00, 135.52, 210.38, 411.74, 815.70, 1582.80), 64),
    ("not", "streaming", elementwise(1, 1, 1, not_steps), (8.16, 9.76, 12.12, 13.94, 11.36, 14.16, 21.22), 0),
    ("or", "streaming", elementwise(2, 1, 1, or_steps), (9.28, 11.10, 13.92, 15.44, 14.26, 15.16, 23.78), 0),
    ("where", "scalar", elementwise(3, 2, 2, where_steps), (248.38, 488.06, 727.76, 1195.78, 2381.68, 4755.30, 9265.20), 0),
    ("expand", "scalar", expand, (15.04, 16.32, 19.84, 27.72, 49.66, 94.24, 177.86), 64),
    ("transpose", "scalar", transpose, (106.20, 199.84, 385.62, 762.30, 1510.60, 3014.60, 6016.54), 64),
    ("reduce_sum", "scalar", reduce_sum, (19.28, 21.08, 27.94, 44.52, 81.24, 154.86, 301.32), 64),
]  # fmt: skip


def rows() -> list[Row]:
    found = list(_STEPS)
    for name, kind, make, published, fitted in _PUBLISHED:
        for batch, us in zip(_BATCHES, published, strict=True):
            found.append(Row("operators", f"{name} B{batch}", kind, us, make(batch), fitted=batch == fitted))
    return found


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    b1 = find_chip(Target.parse("ascendc:910b1@cpu"))
    b3 = find_chip(Target.parse("ascendc:910b3@cpu"))
    assert b1 is not None and b3 is not None
    chips: dict[str, Chip] = {"steps": b1, "operators": b3.at_clock(1.65)}
    out: list[dict[str, Any]] = []
    for row in rows():
        entry: dict[str, Any] = {
            "source": row.source, "case": row.case, "kind": row.kind, "published_us": row.published_us, "estimate_us": None,
            "relative_error": None, "fitted": row.fitted,
        }  # fmt: skip
        if row.trace is None:
            entry["reason"] = row.reason
        else:
            step = launch_time(Trace.read(row.trace()), chips[row.source])
            us = step.timeline.busy_us[row.kind] if row.kind in ("V", "M") else step.total_us
            entry["estimate_us"] = round(us, 3)
            entry["relative_error"] = round(us / row.published_us - 1, 4)
        out.append(entry)
        print(
            f"{row.case:45} {row.kind:9} {row.published_us:12.2f} {entry['estimate_us']!s:>12} {entry['relative_error']}"
        )
    figures = summary(out)
    for name, value in figures.items():
        print(f"{name}: {value}")
    record.write("ascendc_cost", seed=None, figures=figures, rows=out)


def summary(out: list[dict[str, Any]]) -> dict[str, Any]:
    def error(kind: str, *, held_back: bool) -> float:
        errors = [
            abs(entry["relative_error"])
            for entry in out
            if entry["kind"] == kind
            and entry["relative_error"] is not None
            and (entry["published_us"] > 15 or kind == "V")
            and not (held_back and entry["fitted"])
        ]
        return round(sum(errors) / len(errors), 4)

    estimates = {entry["case"]: entry["estimate_us"] for entry in out}
    orders = [[estimates[case] for case in order] for order in _ORDERS]
    right = sum(a > b for values in orders for a, b in pairwise(values))
    steps = sum(len(order) - 1 for order in _ORDERS)
    return {
        "streaming_mean_abs_rel_error": error("streaming", held_back=False),
        "streaming_held_back_mean_abs_rel_error": error("streaming", held_back=True),
        "scalar_mean_abs_rel_error": error("scalar", held_back=False),
        "scalar_held_back_mean_abs_rel_error": error("scalar", held_back=True),
        "vector_busy_mean_abs_rel_error": error("V", held_back=False),
        "steps_in_right_order": right,
        "steps": steps,
        "rows": len(out),
        "rows_without_estimate": sum(entry["estimate_us"] is None for entry in out),
        "rows_fitted": sum(entry["fitted"] for entry in out),
    }


if __name__ == "__main__":
    main()
