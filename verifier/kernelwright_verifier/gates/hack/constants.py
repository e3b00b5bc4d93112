"""Tasks whose output is the same whatever the inputs hold: its values say nothing of who computed them.

Its rounding does. What the reference computes in the task's own type comes out beside the constant, by other roundings here and
there; so does what any kernel computes. Where a kernel's outputs stay as they are when each of its operations rounds upwards,
and when each rounds downwards, they were put there.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright_backends.core.model import Model
from kernelwright_verifier.reference.trial import Screen, Trial

# Of the reference's own rounding, what must be seen of the candidate's: one that sums more exactly than torch errs less. In the
# doubles of a float task it errs by so much less still.
_LEAST_MOVED, _LEAST_MOVED_IN_DOUBLES = 2.0**-6, 2.0**-34


class Unmoved(Model):
    """An output of such a task under both roundings."""

    name: str
    moved: float
    """rms of what they make of it"""
    rounding: float
    """rms by which the reference errs in the task's own type"""

    def is_put_there(self, *, in_doubles: bool) -> bool:
        return self.moved < self.rounding * (_LEAST_MOVED_IN_DOUBLES if in_doubles else _LEAST_MOVED)


def same_whatever_is_given(screen: Screen) -> bool:
    constant = {weak["name"] for weak in screen.weak if weak["what"] == "constant" and weak["everywhere"]}
    return constant >= {expected.name for expected in screen.trial.expected}


def rounds(trial: Trial) -> bool:
    """Whether each output of the reference shows that it was computed."""
    return all(expected.rms_error > 0 for expected in trial.expected)


def unmoved(up: Sequence[NDArray[Any]], down: Sequence[NDArray[Any]], trial: Trial) -> tuple[Unmoved, ...]:
    """What both roundings make of each output.

    Args:
        up, down: the outputs' values, in the order of the trial's.
    """
    seen = []
    for one, other, expected in zip(up, down, trial.expected, strict=True):
        with np.errstate(invalid="ignore"):
            apart = one.astype(np.float64) - other
        settled = apart[np.isfinite(apart)]
        moved = float(np.sqrt(np.mean(np.square(settled)))) if settled.size else math.inf
        seen.append(Unmoved(name=expected.name, moved=moved, rounding=expected.rms_error))
    return tuple(seen)
