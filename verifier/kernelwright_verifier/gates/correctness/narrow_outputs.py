"""Outputs of 8 and 16 bits: what roundings of a float32 evaluation may make of each element, and of all together.

Three bounds hold at once, each derived from what rounding does and not from a share of the values:

- an element lies between the roundings of v - s and v + s, where v is its float64 value and s how far a legitimate kernel may be off
  before its last rounding: the bound of float32 outputs, the hardware's approximations (2^-11 of the value, at most an eighth of a
  step), and what roundings in front of the last one move at this element, of which dithered evaluations of the task tell;
- the mean square of the errors, each as a share of what rounding does to its element, is no larger than rounding makes it;
- the share by which all values together are too large or too small is none that roundings add up to: they cancel, a wrong factor
  does not. Elements of one value are rounded alike and count once.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_verifier.reference import elements
from kernelwright_verifier.reference.trial import Expected, NarrowBounds, read_tensor

# An evaluation of the task that errs as much as this many deviations of the draws is still a legitimate kernel's; of few draws more.
_DEVIATIONS, _DEVIATIONS_OF_FEW, _FEW_DRAWS = 4.0, 6.0, 6
# As much as the hardware's approximations err (tanh.approx.f32), and no more than a small share of a step.
_APPROXIMATED, _SHARE_OF_STEP = 2.0**-11, 0.25  # of half a step
_APPROXIMATED_ALIKE = 2.0**-14
# Roundings are uniform: the squares of n of them, as shares of their mean, deviate by sqrt(0.8 / n).
_SQUARES, _SPARE, _UNLIKELY = 0.8, 1.5, 5.0
_DRAWN_SCALES = 3.0


@dataclass(frozen=True, slots=True)
class NarrowVerdict:
    """How a narrow output compares."""

    allowed: NDArray[np.float64]
    """of each element, how far it may be off"""
    beyond: NDArray[np.bool_]
    """the elements that are further off"""
    allowed_rms: float
    too_rough: bool
    """no element need be beyond its bound; together they err more than rounding does"""
    scale: float
    """the share by which all values together are too large"""
    allowed_scale: float

    @property
    def is_scaled(self) -> bool:
        return not abs(self.scale) <= self.allowed_scale

    @property
    def ok(self) -> bool:
        return not (self.beyond.any() or self.too_rough or self.is_scaled)


def is_narrow(dtype: str) -> bool:
    """Whether `dtype` is a floating-point type of 8 or 16 bits."""
    return elements.is_floating(dtype) and ELEMENT_SIZE_BYTES[dtype] < 4


def judged(
    got: NDArray[np.float64],
    wanted: NDArray[np.float64],
    expected: Expected,
    mapping: Path,
    float32_bound: float,
) -> NarrowVerdict:
    """Hold the values of a narrow output to what roundings make of the exact ones.

    Args:
        got: of the candidate, in float64, in the output's shape.
        wanted: exact values of the same shape.
        float32_bound: how far an element of a float32 output of this task may be off.
    """
    dtype, bounds = expected.dtype, expected.narrow or NarrowBounds()
    finite = np.isfinite(wanted)
    exact = np.where(finite, wanted, 0.0)
    half = elements.half_ulps(dtype, exact)
    moved = np.zeros_like(exact)
    if bounds.spread is not None:
        moved = read_tensor(mapping, bounds.spread).astype(np.float64)
    deviations = _DEVIATIONS if bounds.draws >= _FEW_DRAWS else _DEVIATIONS_OF_FEW
    slack = (
        float32_bound + np.minimum(_SHARE_OF_STEP * half, _APPROXIMATED * np.abs(exact)) + deviations * moved
    )
    if bounds.rounded:
        slack += half
    low, high = (elements.rounded(exact + sign * slack, dtype) for sign in (-1, 1))
    with np.errstate(invalid="ignore", over="ignore"):
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        beyond = np.where(finite, ~((low <= got) & (got <= high)), ~same)
        allowed = np.where(finite, np.maximum(high - exact, exact - low), 0.0)
        error = np.where(finite & np.isfinite(got), got - exact, 0.0)
    if 0 < np.count_nonzero(beyond) <= bounds.outliers and finite[beyond].all():
        beyond &= ~(np.abs(np.where(np.isfinite(got), got, np.inf) - exact) <= bounds.outlier + half + slack)
    due = half * half * (4 / 3 if bounds.rounded else 1 / 3) + moved * moved + float32_bound * float32_bound
    together = _together(error[finite], exact[finite], half[finite], due[finite], bounds, dtype)
    if together is None:
        return NarrowVerdict(allowed, beyond, 0.0, False, 0.0, 0.0)
    square, allowed_square, scale, allowed_scale = together
    return NarrowVerdict(
        allowed=allowed,
        beyond=beyond,
        allowed_rms=float(np.sqrt(allowed_square * due[finite].mean())),
        too_rough=square > allowed_square,
        scale=scale,
        allowed_scale=allowed_scale,
    )


def _together(
    error: NDArray[Any],
    exact: NDArray[Any],
    half: NDArray[Any],
    due: NDArray[Any],
    bounds: NarrowBounds,
    dtype: str,
) -> tuple[float, float, float, float] | None:
    """The mean square of the errors as shares of what is due, what it may be, the common factor's excess, and what that may be."""
    if not error.size:
        return None
    _, first, counts = np.unique(exact.astype(np.float32), return_index=True, return_counts=True)
    square = float(np.mean(error * error / due))
    likely = 1 + _UNLIKELY * np.sqrt(_SQUARES * np.square(counts).sum()) / error.size
    # Roundings err by a fifth of what dithered ones do, squared.
    allowed_square = _SPARE * max(likely, bounds.square / 2)
    weight = exact / due
    size = float(np.dot(exact, weight))
    if size == 0:
        return square, allowed_square, 0.0, np.inf
    scale = float(np.dot(error, weight)) / size
    # Where many values lie at one place between two neighbours, all of them are rounded to the same side.
    nearest = elements.rounded(exact, dtype) - exact
    best_square = float(np.mean(nearest * nearest / due))
    best_scale = abs(float(np.dot(nearest, weight))) / size
    allowed_square = max(allowed_square, _SPARE * best_square)
    rounding = np.sqrt(float(np.sum(np.square(counts * weight[first] * half[first])) / 3)) / size
    random = float(np.hypot(_UNLIKELY * rounding, _DRAWN_SCALES * bounds.scale))
    allowed_scale = random + _SPARE * best_scale + _APPROXIMATED_ALIKE
    return square, allowed_square, scale, allowed_scale
