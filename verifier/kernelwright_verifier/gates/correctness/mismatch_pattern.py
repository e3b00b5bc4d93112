"""Names what a mismatch looks like, by tests on the arrays: its form often says where the mistake is."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Values = NDArray[np.float64]

# Reading 64 million elements again and again costs more than a name is worth.
_EXAMINED = 1 << 22
_CLOSE = 1e-3
# An explanation may leave so much of the largest error unexplained.
_EXPLAINED = 0.02
# So few elements have anything in common by chance, and so large a share of a mistake comes out right by chance.
_FEW = 4
_BY_CHANCE = 0.01


def name_pattern(
    got: NDArray[np.generic],
    wanted: NDArray[np.generic],
    wrong: Mask,
    inputs: Mapping[str, NDArray[Any]] | None = None,
) -> str:
    """One line that says what the wrong elements have in common; "scattered" where nothing was found.

    Args:
        got, wanted: the values, of one shape.
        wrong: which elements count as wrong; at least one does.
        inputs: by name, those that broadcast to that shape: a mistake may depend on what was given.
    """
    actual, expected = got.astype(np.float64), wanted.astype(np.float64)
    if not wrong.any():
        return "small errors everywhere"
    if wrong.size == 1:
        return "the only element"
    tests: tuple[Callable[[Values, Values, Mask], str | None], ...] = (
        _non_finite,
        _rearranged,
        _affine,
        _along_one_axis,
        _by_sign,
        _by_place,
    )
    given = {name: np.broadcast_to(values, wrong.shape) for name, values in (inputs or {}).items()}
    with np.errstate(all="ignore"):
        for name, values in given.items():
            if _is_itself(actual, values, wrong):
                where = _by_place(actual, expected, wrong) or _by_input(wrong, given)
                return f"the output is {name} itself" + (f", {where}" if where else _where(wrong))
        for test in tests:
            if wrong.size > _EXAMINED and test is _rearranged:
                continue
            found = test(actual, expected, wrong)
            if found is not None:
                return found
        found = _by_input(wrong, given)
        if found is not None:
            return found
    return "all elements" if wrong.all() else "scattered"


def _non_finite(actual: Values, expected: Values, wrong: Mask) -> str | None:
    """Wrong only where the output is not a number, or infinite, and should not be."""
    seen = actual[wrong]
    where = _by_place(actual, expected, wrong)
    place = f", {where}" if where else ""
    if np.isnan(seen).all():
        return f"NaN only{place}"
    if (~np.isfinite(seen)).all():
        return f"infinity or NaN only{place}"
    if np.isfinite(seen).all() and (~np.isfinite(expected[wrong])).all():
        return f"finite where the reference is not{place}"
    return None


def _near(actual: Values, expected: Values) -> bool:
    """Equal up to what rounding could explain, over all finite elements; constants prove nothing."""
    finite = np.isfinite(actual) & np.isfinite(expected)
    if finite.sum() < 2:
        return False
    a, e = actual[finite], expected[finite]
    spread = float(e.std())
    return spread > 0 and float(np.abs(a - e).max()) <= _CLOSE * spread


def _rearranged(actual: Values, expected: Values, wrong: Mask) -> str | None:
    """The right values in other places."""
    if wrong.mean() < 0.2:
        return None
    if actual.ndim >= 2:
        rows, columns = actual.shape[-2:]
        if rows > 1 and columns > 1:
            turned = actual.reshape(*actual.shape[:-2], columns, rows).swapaxes(-1, -2)
            if _near(turned, expected):
                return "transposed: the last two dimensions are exchanged"
    for axis in range(actual.ndim):
        if actual.shape[axis] > 2:
            for step in (1, -1):
                a, e = np.moveaxis(actual, axis, 0), np.moveaxis(expected, axis, 0)
                shifted = (a[1:], e[:-1]) if step == 1 else (a[:-1], e[1:])
                if _near(*shifted):
                    way = "late" if step == 1 else "early"
                    return f"off by one element along dimension {axis}: each value comes one {way}"
            if _near(np.flip(actual, axis), expected):
                return f"reversed along dimension {axis}"
    return None


def _affine(actual: Values, expected: Values, wrong: Mask) -> str | None:
    """All wrong elements are the right ones times a factor, or plus an offset."""
    if wrong.sum() < 4:
        return None
    a, e = actual[wrong], expected[wrong]
    finite = np.isfinite(a) & np.isfinite(e)
    if not finite.all():
        return None
    scale = float(np.abs(e).max())
    if scale == 0:
        return None
    if not a.any():
        return "all zero" if wrong.all() else f"zero where the reference is not{_where(wrong)}"
    if np.ptp(a) == 0 and np.ptp(e) > 0:
        return (
            f"the same value everywhere, {a[0]:.4g}"
            if wrong.all()
            else f"the same value, {a[0]:.4g}, in all wrong elements"
        )
    error = float(np.abs(a - e).max())
    factor = float((a * e).sum() / (e * e).sum())
    # It must explain the error, not only the value: an offset is nearly a factor on nearly equal values.
    if np.ptp(e) > 0 and np.abs(a - factor * e).max() <= _EXPLAINED * error:
        return f"scale factor {factor:.6g}" + _where(wrong)
    offset = float((a - e).mean())
    if np.abs(a - e - offset).max() <= _EXPLAINED * abs(offset):
        return f"constant offset {offset:.6g}" + _where(wrong)
    return None


def _where(wrong: Mask) -> str:
    if wrong.mean() > 0.99:
        return ""
    place = _place(wrong)
    return f", {place}" if place else f" in {int(wrong.sum())} elements"


def _along_one_axis(actual: Values, expected: Values, wrong: Mask) -> str | None:
    """The error is a function of one index alone: a term or a factor that is broadcast was left out."""
    if (
        actual.ndim < 2
        or wrong.mean() < 0.5
        or not np.isfinite(actual).all()
        or not np.isfinite(expected).all()
    ):
        return None
    difference = actual - expected
    magnitude = float(np.abs(difference).max())
    for axis in range(actual.ndim):
        others = tuple(i for i in range(actual.ndim) if i != axis)
        if actual.shape[axis] < 2 or actual.size == actual.shape[axis]:
            continue
        term = difference.mean(axis=others, keepdims=True)
        if np.abs(difference - term).max() <= _EXPLAINED * magnitude:
            return f"a term that depends on dimension {axis} alone is missing or wrong (a bias?)"
        factor = (actual * expected).sum(axis=others, keepdims=True) / np.square(expected).sum(
            axis=others, keepdims=True
        )
        if np.isfinite(factor).all() and np.abs(actual - factor * expected).max() <= _EXPLAINED * magnitude:
            return f"a factor that depends on dimension {axis} alone is missing or wrong (a normalisation?)"
    return None


def _by_sign(actual: Values, expected: Values, wrong: Mask) -> str | None:
    """Wrong exactly where a branch on the sign of a value would go wrong."""
    right = ~wrong
    if wrong.sum() < 4 or right.sum() < 4:
        return None
    for values, whose in ((expected, "the expected value"), (actual, "the output")):
        negative = values < 0
        if negative[wrong].all() and not negative[right].any():
            return f"only where {whose} is negative"
        positive = values > 0
        if positive[wrong].all() and not positive[right].any():
            return f"only where {whose} is positive"
    return None


def _is_itself(actual: Values, values: NDArray[Any], wrong: Mask) -> bool:
    """Every wrong element is what the input holds at its place."""
    if wrong.sum() < _FEW:
        return False
    there = values[wrong]
    return bool((actual[wrong] == there).all() and (there != there[0]).any())


def _by_input(wrong: Mask, given: Mapping[str, NDArray[Any]]) -> str | None:
    """Wrong exactly where an input has a property: a case that is not, or wrongly, distinguished."""
    right = ~wrong
    if wrong.sum() < _FEW or right.sum() < _FEW:
        return None
    for name, values in given.items():
        if values.dtype == np.bool_:
            conditions = {"is true": values, "is false": ~values}
        else:
            conditions = {
                "is negative": values < 0,
                "is positive": values > 0,
                "is zero": values == 0,
                "is not a number": np.isnan(values),
                "is infinite": np.isinf(values),
            }
        for what, holds in conditions.items():
            if holds[wrong].all() and np.count_nonzero(holds & right) <= _BY_CHANCE * np.count_nonzero(holds):
                return f"only where {name} {what}"
        if values.dtype == np.bool_ or right.mean() <= _BY_CHANCE:
            continue
        for of, measured in ((name, values), (f"|{name}|", np.abs(values))):
            if measured[wrong].min() > measured[right].max():
                return f"only where {of} is {measured[wrong].min():.4g} or more"
            if measured[wrong].max() < measured[right].min():
                return f"only where {of} is {measured[wrong].max():.4g} or less"
    return None


def _by_place(actual: Values, expected: Values, wrong: Mask) -> str | None:
    return None if wrong.all() else _place(wrong)


def _place(wrong: Mask) -> str | None:
    """Where the wrong elements lie, None where they lie anywhere."""
    for found in _places(wrong):
        return found
    return None


def _places(wrong: Mask) -> Iterator[str]:
    count, flat = int(wrong.sum()), wrong.reshape(-1)
    at = np.flatnonzero(flat)
    first, last = int(at[0]), int(at[-1])
    if count == 1:
        yield "a single element"
    if wrong.ndim >= 2:
        yield from _rows_and_columns(wrong)
    if last == flat.size - 1 and count == flat.size - first:
        yield f"tail: the last {count} elements"
    if first == 0 and count == last + 1:
        yield f"head: the first {count} elements"
    if count <= 32 and first // 32 == last // 32 and (count > 4 or wrong.ndim == 1):
        yield f"one warp: elements {first // 32 * 32} to {first // 32 * 32 + 31} in memory order"
    yield from _periodic(np.arange(flat.size), flat, "element in memory order", at)
    for group in (1024, 512, 256, 128, 64, 32):
        if flat.size >= 2 * group and first % group == 0:
            whole = flat[: flat.size // group * group].reshape(-1, group)
            if (whole.all(axis=1) == whole.any(axis=1)).all() and whole.any():
                groups = int(whole.any(axis=1).sum())
                yield f"{groups} of {len(whole)} whole groups of {group} consecutive elements"
    if wrong.ndim >= 2:
        box = wrong[tuple(slice(p.min(), p.max() + 1) for p in np.nonzero(wrong))]
        if box.all():
            yield "a solid box"


def _rows_and_columns(wrong: Mask) -> Iterator[str]:
    """Patterns along one dimension: which indices hold wrong elements, and whether they hold nothing else."""
    for axis in reversed(range(wrong.ndim)):
        others = tuple(i for i in range(wrong.ndim) if i != axis)
        extent = wrong.shape[axis]
        touched: Mask = np.asarray(wrong.any(axis=others))
        # Most of what is touched must be wrong: an element may be right by chance.
        if extent < 2 or touched.all() or wrong.sum() < 0.75 * touched.sum() * (wrong.size // extent):
            continue
        at = np.flatnonzero(touched)
        name = {wrong.ndim - 1: "column", wrong.ndim - 2: "row"}.get(axis, f"index of dimension {axis}")
        if len(at) == 1:
            yield f"one {name}: {at[0]}" + (", the last one" if at[0] == extent - 1 else "")
        if len(at) == extent - at[0]:
            whose = "each row" if axis == wrong.ndim - 1 else f"dimension {axis}"
            yield f"tail of {whose}: from {name} {at[0]} on"
        if at[0] == 0 and len(at) == at[-1] + 1:
            whose = "each row" if axis == wrong.ndim - 1 else f"dimension {axis}"
            yield f"head of {whose}: up to {name} {at[-1]}"
        yield from _periodic(np.arange(extent), touched, name, at)
        if len(at) == at[-1] - at[0] + 1:
            yield f"{name}s {at[0]} to {at[-1]}"


def _periodic(indices: NDArray[np.int64], touched: Mask, name: str, at: NDArray[np.int64]) -> Iterator[str]:
    """Every k-th index; a tile's border where k is a power of two >= 8 and the index its first or last."""
    if len(at) < 2:
        return
    steps = np.diff(at)
    period = int(steps[0])
    if period > 1 and (steps == period).all() and len(at) >= max(2, (len(indices) - int(at[0])) // period):
        residue = int(at[0]) % period
        if period >= 8 and period & (period - 1) == 0 and residue in (0, period - 1):
            yield f"tile border: the {'first' if residue == 0 else 'last'} {name} of every {period}"
        elif len(at) > 2 or len(indices) <= 3 * period:
            yield f"every {period}-th {name}, from {at[0]} on"
