"""What stands around the worst element of a wrong output: the output, the reference, and the inputs it most likely comes from.

Plain data, small enough to travel with the finding: nothing has to be run again to look at it.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright_verifier.reference.client import Trial
from kernelwright_verifier.reference.trial import read_tensor

_ROWS, _COLUMNS = 5, 9
_MOST_INPUTS = 6

Number = float | int | bool | str
"""not-a-number and the infinities as words, which JSON has none for"""


def neighbourhood(
    name: str,
    got: NDArray[Any],
    expected: NDArray[Any],
    allowed: float,
    worst: Sequence[int],
    trial: Trial,
    unwritten: "NDArray[np.bool_] | None" = None,
) -> dict[str, Any]:
    """A window of at most 5 x 9 elements of each tensor.

    Args:
        got: the output, in its shape.
        expected: the reference's, of the same shape, in float64 for floating types.
        allowed: what an element may be off.
        worst: index of the element that is furthest off.
        unwritten: the elements that nobody stored; what lies there is marked by a word.

    Returns:
        {"output": {"name", "shape", "start", "got", "expected", "wrong"}, "inputs": [{"name", "shape", "dtype", "start",
        "values", "why"}]}, where `start` is the index of the window's first element, and windows are lists of rows.
    """
    window = _window(got.shape, worst)
    with np.errstate(invalid="ignore", over="ignore"):
        differs = ~(np.abs(got[window].astype(np.float64) - expected[window].astype(np.float64)) <= allowed)
    same = (got[window] == expected[window]) | (_not_a_number(got[window]) & _not_a_number(expected[window]))
    inputs = []
    for tensor in list(trial.tensors.values())[:_MOST_INPUTS]:
        at, why = _corresponding(tensor.shape, got.shape, worst)
        values = read_tensor(trial.mapping, tensor)
        place = _window(tensor.shape, at)
        inputs.append(
            {
                "name": tensor.name,
                "shape": list(tensor.shape),
                "dtype": tensor.dtype,
                "start": _start(place),
                "values": _rows(values[place]) if tensor.numel else [],
                "why": why,
            }
        )
    return {
        "output": {
            "name": name,
            "shape": list(got.shape),
            "start": _start(window),
            "worst": [int(i) for i in worst],
            "got": _rows(got[window]) if unwritten is None else _without(got[window], unwritten[window]),
            "expected": _rows(expected[window]),
            "wrong": _rows(differs & ~same if unwritten is None else (differs & ~same) | unwritten[window]),
        },
        "inputs": inputs,
    }


def _window(shape: Sequence[int], at: Sequence[int]) -> tuple[slice, ...]:
    """A slice for each dimension: one index of the outer ones, a few around `at` of the last two."""
    sizes = [1] * max(len(shape) - 2, 0) + [_ROWS, _COLUMNS][-len(shape) :] if shape else []
    slices = []
    for extent, index, size in zip(shape, at, sizes, strict=True):
        start = max(0, min(index - size // 2, extent - size))
        slices.append(slice(start, min(start + size, extent)))
    return tuple(slices)


def _start(window: Sequence[slice]) -> list[int]:
    return [s.start for s in window]


def _corresponding(
    shape: Sequence[int], output: Sequence[int], worst: Sequence[int]
) -> tuple[list[int], str]:
    """Where in an input to look for what an output element came from, and why there.

    The same index where the shapes are equal or broadcast; otherwise dimensions of one extent are taken for one another, from
    the left (a reduction keeps the leading ones), then from the right (a product keeps the last one of its second factor).
    """
    if list(shape) == list(output):
        return list(worst), "the same index"
    tail = len(output) - len(shape)
    if tail >= 0 and all(
        e in (1, o) for e, o in zip(shape, list(output)[tail:], strict=True)
    ):  # it broadcasts
        return [
            0 if e == 1 else i for e, i in zip(shape, list(worst)[tail:], strict=True)
        ], "the index that is broadcast here"
    at: list[int | None] = [None] * len(shape)
    taken: set[int] = set()
    for offset in (0, tail):
        for dim, extent in enumerate(shape):
            other = dim + offset
            if (
                at[dim] is None
                and 0 <= other < len(output)
                and other not in taken
                and extent == output[other]
            ):
                at[dim] = worst[other]
                taken.add(other)
    matched = [d for d, index in enumerate(at) if index is not None]
    why = f"dimension{'s' * (len(matched) > 1)} {', '.join(map(str, matched))} at the output's index" if matched else (
        "its beginning: no dimension is the output's"
    )  # fmt: skip
    return [index or 0 for index in at], why


def _rows(values: NDArray[Any]) -> list[list[Number]]:
    width = values.shape[-1] if values.ndim else 1
    return [[_plain(v) for v in row] for row in values.reshape(-1, width).tolist()]


def _without(values: NDArray[Any], unwritten: NDArray[np.bool_]) -> list[list[Number]]:
    return [
        ["unwritten" if missing else value for value, missing in zip(row, marks, strict=True)]
        for row, marks in zip(_rows(values), _rows(unwritten), strict=True)
    ]


def _plain(value: float | int | bool) -> Number:
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _not_a_number(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=np.bool_)
