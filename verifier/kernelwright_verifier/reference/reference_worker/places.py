"""Places in a tensor. Real numbers that become integers: a task that goes on with `x.floor().long()` as an index says by its own inputs
how far they lie. Integers that are nothing else: any of their range may stand anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .loading import LoadedTask
from .tracing import trace_of

# Operators that go to places, and the first of their tensors that may hold these.
GO_TO_PLACES = {
    "index": 1, "index_put": 1, "index_add": 1, "index_copy": 1, "index_select": 1, "index_fill": 1, "gather": 1, "scatter": 1,
    "scatter_add": 1, "scatter_reduce": 1, "take": 1, "take_along_dim": 1, "embedding": 1, "bincount": 0,
}  # fmt: skip
PLACES = frozenset(("int8", "uint8", "int16", "int32", "int64"))
INTEGERS = PLACES | {"bool"}
# What these give is a place whatever the numbers are that they are given.
GIVE_PLACES = frozenset(
    "argmax argmin topk sort argsort max min kthvalue median mode nonzero multinomial searchsorted bucketize randint randperm".split()
)

# The sides on which operators hold what comes of them within bounds.
HOLD_WITHIN = {
    "clamp_min": ("min",), "clamp_max": ("max",), "relu": ("min",), "sigmoid": ("min", "max"), "hardtanh": ("min", "max"),
}  # fmt: skip
# What they make of an endless number is anybody's choice where integers come out.
CONVERT = frozenset(("_to_copy", "frexp"))


def become_integers(task: LoadedTask) -> bool:
    """Whether the task converts real numbers to integers."""
    trace = trace_of(task)
    return any(
        operator["name"] in CONVERT
        and trace["values"][operator["inputs"][0]]["dtype"] not in INTEGERS
        and any(trace["values"].get(name, {}).get("dtype") in PLACES for name in operator["outputs"])
        for operator in trace["operators"]
    )


def become_places(task: LoadedTask) -> frozenset[str]:
    """Inputs of real numbers that the task turns into indices without holding them within bounds on both sides."""
    trace = trace_of(task)
    made_by = {name: operator for operator in trace["operators"] for name in operator["outputs"]}
    real = {
        name
        for name, spec in trace["values"].items()
        if name not in made_by and spec["dtype"] not in INTEGERS
    }
    found: set[str] = set()
    for operator in trace["operators"]:
        first = GO_TO_PLACES.get(operator["name"].removesuffix("_"))
        if first is None:
            continue
        for name in operator["inputs"][first:]:
            if trace["values"][name]["dtype"] in PLACES:
                found.update(real.intersection(_unbounded(name, made_by)))
    return frozenset(found)


def _unbounded(name: str, made_by: dict[str, dict[str, Any]]) -> Iterator[str]:
    """All that a value is made of along ways that do not bound it from below and from above."""
    waiting, seen = [(name, frozenset[str]())], set[tuple[str, frozenset[str]]]()
    while waiting:
        value, bounds = waiting.pop()
        if (value, bounds) in seen:
            continue
        seen.add((value, bounds))
        yield value
        operator = made_by.get(value)
        if operator is None or operator["name"].removesuffix("_") in GIVE_PLACES:
            continue
        bounds |= _bounds_of(operator)
        if len(bounds) < 2:
            waiting += [(given, bounds) for given in operator["inputs"]]


def _bounds_of(operator: dict[str, Any]) -> frozenset[str]:
    name, given = operator["name"].removesuffix("_"), operator["attributes"]
    if name == "clamp":
        return frozenset(
            side for side in ("min", "max") if given.get(side) is not None or len(operator["inputs"]) > 1
        )
    return frozenset(HOLD_WITHIN.get(name, ()))


def used_as_places(task: LoadedTask) -> frozenset[str]:
    """Values that say where in a tensor something is taken or put, and nothing else."""
    trace = trace_of(task)
    places, others = set[str](), set[str](trace["outputs"])
    for operator in trace["operators"]:
        name, inputs = operator["name"].removesuffix("_"), operator["inputs"]
        first = GO_TO_PLACES.get(name, len(inputs))
        chosen = inputs[first:] if name == "index" else inputs[first : first + 1]
        places.update(chosen)
        others.update(value for value in inputs if value not in chosen)
    return frozenset(places - others)
