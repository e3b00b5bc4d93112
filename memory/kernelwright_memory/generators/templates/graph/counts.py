"""Numbers of a task that are sizes: the batch that a loss divides by, which the trace holds as a plain number."""

from collections.abc import Mapping

from kernelwright_verifier.task.task import TaskDescription

# Where a number may be a size: as an operand of arithmetic.
_NAMES = ("self", "other")

Counts = Mapping[tuple[int, str], tuple[str, int]]
"""(place of the operator, name of its number) -> (tensor, axis)"""


def counts_of(description: TaskDescription, other: TaskDescription | None) -> Counts:
    """The numbers of `description` that differ from those of the same task at other sizes as an extent does."""
    if other is None:
        return {}
    pairs = list(zip(description.trace.operators, other.trace.operators, strict=False))
    if len(description.trace.operators) != len(other.trace.operators) or any(
        a.name != b.name for a, b in pairs
    ):
        return {}
    extents = _extents(description)
    others = _extents(other)
    found: dict[tuple[int, str], tuple[str, int]] = {}
    for place, (own, elsewhere) in enumerate(pairs):
        for name in _NAMES:
            value, differing = own.attributes.get(name), elsewhere.attributes.get(name)
            if (
                not isinstance(value, int | float)
                or not isinstance(differing, int | float)
                or value == differing
            ):
                continue
            same = [
                key for key, extent in extents.items() if extent == value and others.get(key) == differing
            ]
            if same:
                found[(place, name)] = same[0]
    return found


def _extents(description: TaskDescription) -> dict[tuple[str, int], int]:
    specs = [a.tensor for a in description.forward if a.tensor is not None]
    return {(s.name, axis): e for s in (*specs, *description.parameters) for axis, e in enumerate(s.shape)}
