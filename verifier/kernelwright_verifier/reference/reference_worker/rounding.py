"""How far two evaluations of one output are apart, and whether rounding does that."""

from __future__ import annotations

from typing import Any

import torch

# Outputs that move by more than this share of the largest when a number is rounded were decided by it: no rounding error.
MOST_MOVED = 1e-3
# Errors of so many numbers are no measure of rounding: each may happen to be none.
FEW = 64


def says_little_of_rounding(own: Any) -> bool:
    """Whether the difference of an output to float64 is none, or that of a few numbers, which may happen to be small."""
    return own.dtype is torch.float64 or (own.dtype is torch.float32 and 0 < own.numel() <= FEW)


def rounding_between(one: Any, other: Any, size: float) -> tuple[float, float] | None:
    """How far finite numbers of two evaluations are apart, rms and at most; None where there are none, or where a larger share of
    `size` than rounding makes was decided otherwise."""
    apart = one.double() - other.double()
    apart = apart[torch.isfinite(apart)]
    if not apart.numel():
        return None
    largest = float(apart.abs().max())
    return None if largest > MOST_MOVED * size else ((squared(apart) / apart.numel()) ** 0.5, largest)


def decided_otherwise(one: Any, other: Any) -> bool:
    """Whether an output differs from another by more than rounding. Places of an order may have become real numbers."""
    if not one.is_floating_point():
        return not torch.equal(one, other)
    one, other = one.double(), other.double()
    both = torch.isfinite(one) & torch.isfinite(other)
    if not bool(both.any()):
        return False
    return float((one - other)[both].abs().max()) > MOST_MOVED * float(one[both].abs().max())


def largest_finite(values: Any) -> float:
    finite = values[torch.isfinite(values)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def squared(values: Any) -> float:
    """The sum of the squares of float64 values."""
    flat = values.reshape(-1)
    return float(torch.dot(flat, flat))
