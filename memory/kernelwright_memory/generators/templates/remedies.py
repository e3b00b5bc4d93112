"""Fixes of performance lints: which change of a step's parameters answers which finding (docs/findings/PERF_*.md)."""

from collections.abc import Callable, Mapping
from typing import Any

from kernelwright_backends.core.finding import Finding
from kernelwright_memory.generators.templates.graph.schedule import StepKind

Parameters = Mapping[str, Any]
# Of rows and scans: who walks along the row. The first read neighbouring elements of a row, the second neighbouring rows.
_ALONG_ROWS, _ACROSS_ROWS = ("block", "warp", "split"), ("column", "thread")
# Of a product of packed factors: the largest of each factor, each factor packed, the product.
_LAUNCHES_OF_PACKED = 5
_BOTTLENECKS: dict[str, tuple[tuple[str, Any], ...]] = {
    "memory_bandwidth_saturated": (("cache", True), ("vector", 4)),
    "memory_latency_bound": (("vector", 4), ("each", 4), ("threads", 512)),
    "insufficient_parallelism": (("row", "column"), ("threads", 256), ("each", 1), ("block", 128)),
    "cache_inefficient": (("cache", True), ("rows", 128), ("columns", 128)),
    "launch_overhead_dominant": (("vector", 4), ("each", 4)),
    "instruction_mix_suboptimal": (("vector", 4), ("patch_rows", 8), ("channels", 8), ("lanes", 4)),
    "compute_saturated": (("patch_rows", 8), ("channels", 8), ("lanes", 4)),
}


def answers(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    """Whether going from `current` to `variant` is what the lint asks for, at a step of this kind."""
    remedy = _REMEDIES.get(lint.code)
    return remedy is not None and remedy(lint, kind, current, variant)


def suits(bottleneck: str | None, variant: Parameters) -> int:
    """In how many ways a variant suits what limits the kernel (docs/development/agent.md, Bottlenecks)."""
    return sum(variant.get(key) == value for key, value in _BOTTLENECKS.get(bottleneck or "", ()))


def _work(kind: StepKind, own: Parameters) -> float:
    """How much a block does, in elements of the result or, of rows, in rows."""
    if "precision" in own:
        return float(own["rows"] * own["columns"])
    if kind == "rows":
        by = {"column": 32.0, "warp": own.get("rows", 1), "thread": own.get("rows", 1)}
        # A row in parts is less than a row.
        return float(1 / own["parts"] if own["row"] == "split" else by.get(own["row"], 1.0))
    if kind == "scan":
        return float(own["threads"] if own["row"] == "thread" else 1)
    if kind == "matmul":
        return float(own["rows"] * own["columns"])
    if kind == "convolution":
        return float(own["block"] * own["channels"] * own["places"])
    return float(own["block"] * own.get("vector", 1) * own.get("each", 1))


def launches(own: Parameters) -> int:
    """How many launches a step takes."""
    if "precision" in own:
        return _LAUNCHES_OF_PACKED - 2 * bool(own.get("streamed"))
    return 1 + bool(own.get("packed")) + (own.get("row") == "split")


def _shared(kind: StepKind, own: Parameters) -> int:
    """Shared memory of a block, as far as the parameters tell: to be compared only."""
    if "precision" in own:
        return int((own["rows"] + own["columns"]) * own["stages"] * 32)
    if kind == "matmul":
        return int((own["rows"] + own["columns"]) * own["depth"])
    return int(bool(own.get("cache"))) + int(bool(own.get("tile")))


def _threads(kind: StepKind, own: Parameters) -> int:
    if "precision" in own:
        return 32 * int(own["rows"] // own["warp_rows"] * (own["columns"] // own["warp_columns"]))
    if kind == "matmul":
        return int((own["rows"] // own["patch_rows"]) * (own["columns"] // own["patch_columns"]))
    if kind == "rows":
        factor = {"column": 32, "warp": own.get("rows", 1), "thread": own.get("rows", 1)}.get(own["row"], 1)
        return int(own["threads"] * factor)
    return int(own.get("block") or own["threads"])


def _other_mapping(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    if kind in ("rows", "scan"):
        return (current["row"] in _ALONG_ROWS) != (variant["row"] in _ALONG_ROWS)
    if kind == "elementwise":
        return bool(variant.get("tile")) and not current.get("tile")
    if kind == "convolution":
        return bool(variant.get("packed")) and not current.get("packed")
    return False


def _padding(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    same = {k: v for k, v in current.items() if k != "pad"} == {
        k: v for k, v in variant.items() if k != "pad"
    }
    return variant.get("pad", 0) > current.get("pad", 0) and same


def _smaller_blocks(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    return _work(kind, variant) < _work(kind, current)


def _fewer_launches(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    return launches(variant) < launches(current)


def _more_warps(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    limiter = lint.data.get("limiter")
    if limiter == "shared_memory":
        return _shared(kind, variant) < _shared(kind, current)
    if limiter == "blocks":
        return _threads(kind, variant) > _threads(kind, current)
    return _threads(kind, variant) != _threads(kind, current)


def _kept(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    if kind == "rows":
        return bool(variant.get("cache")) and not current.get("cache")
    # A larger patch or tile uses what it has loaded more often.
    return kind in ("matmul", "convolution") and _work(kind, variant) > _work(kind, current)


def _wider(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    return bool(variant.get("vector", 1) > current.get("vector", 1))


def _fewer_places(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    """The places of a thread's elements are divided out once for all of them."""
    return _wider(lint, kind, current, variant) or (
        kind in ("rows", "convolution") and _work(kind, variant) > _work(kind, current)
    )


def _whole_warps(lint: Finding, kind: StepKind, current: Parameters, variant: Parameters) -> bool:
    if kind in ("rows", "scan"):
        return bool(variant["row"] != current["row"])
    return _threads(kind, variant) != _threads(kind, current)


_Remedy = Callable[[Finding, StepKind, Parameters, Parameters], bool]
_REMEDIES: dict[str, _Remedy] = {
    "PERF_UNCOALESCED": _other_mapping,
    "PERF_BANK_CONFLICT": _padding,
    "PERF_FEW_BLOCKS": _smaller_blocks,
    "PERF_TAIL_WAVE": _smaller_blocks,
    "PERF_LAUNCH_BOUND": _fewer_launches,
    "PERF_LOW_OCCUPANCY": _more_warps,
    "PERF_REDUNDANT_LOAD": _kept,
    "PERF_HALF2": _wider,
    "PERF_SCALAR_ACCESS": _wider,
    "PERF_INTEGER_DIVISION": _fewer_places,
    "PERF_DIVERGENCE": _whole_warps,
}
