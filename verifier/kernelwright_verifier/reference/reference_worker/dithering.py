"""A task evaluated in its own types of 8 and 16 bits, each rounding off by up to a step of its own.

What a legitimate kernel of such a task does is not known: it may round where the task does or keep float32 throughout, and it may round
an operand of a product to the type of the inputs, in which it may also keep a short sum. Draws of dithered roundings show how far that moves each element. Equal numbers are
dithered alike, as they are rounded alike: errors of theirs add up instead of cancelling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

# bits of the fraction, smallest exponent of a normal number
FORMATS = {
    torch.float32: (23, -126),
    torch.float16: (10, -14),
    torch.bfloat16: (7, -126),
    torch.float8_e4m3fn: (3, -6),
    torch.float8_e5m2: (2, -14),
}
# What sums up products, and which argument is the first factor: a kernel may scale one and round it anew.
CONTRACTIONS = {
    **dict.fromkeys("mm bmm mv dot vdot convolution convolution_overrideable".split(), 0),
    **dict.fromkeys("addmm baddbmm addbmm addmv".split(), 1),
}
# Short sums may be kept in the type of the inputs: so many terms err by half of their square root in steps of 0.65.
SHORT_SUM = 64
_DITHERED_STEP = 0.65
# What multiplies: its operands may be rounded.
PRODUCTS = frozenset(("mul", *CONTRACTIONS))


class Dithered(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode of one draw.

    Args:
        number: of the draw; each has noise of its own.
        given: the task's own tensors, which hold what they hold and are no results of a rounding.
        narrow: the type to which operands of products may be rounded; None: to none.
    """

    def __init__(self, number: int, given: Iterable[Any], narrow: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seed = number << 16
        self.given = {storage_of(tensor) for tensor in given}
        self.narrow = narrow
        self.before: dict[int, tuple[Any, Any]] = {}
        """id of a narrow tensor -> itself, which keeps the id its own, and the float64 values that it was rounded from"""

    def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.seed += 1
        name = func.__name__.split(".")[0]
        if self.narrow is not None and name in PRODUCTS:
            args = self.with_rounded_operands(name, args)
        leaves = tree_leaves((args, kwargs))
        if not any(isinstance(leaf, torch.Tensor) for leaf in leaves) or not any(
            map(concerns_narrow, leaves)
        ):
            result = func(*args, **kwargs)
            for leaf in tree_leaves(result):
                if is_narrow(leaf):
                    self.set(leaf, leaf.double())
            return result
        through = self.computed(func, args, kwargs, exact=True)
        view = getattr(func, "is_view", False)
        wide = through if view else self.computed(func, args, kwargs, exact=False)
        result = func(*args, **kwargs)
        if wide is None or through is None:
            return result
        for own, one, other in zip(args, wide[1], through[1], strict=True):
            if is_narrow(own) and one is not other and is_written(func, args, own):
                self.put(own, one, other)
        for own, one, other in zip(*map(tree_leaves, (result, wide[0], through[0])), strict=False):
            if not is_narrow(own) or any(own is value for value in args) or one.shape != own.shape:
                continue
            if view:
                self.set(own, other)
            elif name in CONTRACTIONS and own.dtype is self.narrow:
                summed = self.summed_in_steps(name, args, one)
                self.put(own, summed, summed)
            else:
                self.put(own, one, other)
        return result

    def computed(self, func: Any, args: Any, kwargs: Any, exact: bool) -> tuple[Any, Any] | None:
        """An operator's result, and its arguments behind it, in float64: of the rounded operands, or of what these were rounded from.
        None where it is not computed in float64."""

        def wide(value: Any) -> Any:
            if isinstance(value, torch.dtype) and value in FORMATS:
                return torch.float64
            if not isinstance(value, torch.Tensor) or value.dtype not in FORMATS:
                return value
            if exact and id(value) in self.before:
                return self.before[id(value)][1]
            return value.double()

        wide_args, wide_kwargs = tree_map(wide, (tuple(args), dict(kwargs)))
        try:
            return func(*wide_args, **wide_kwargs), wide_args
        except Exception:  # what PyTorch has for the narrow type alone
            return None

    def put(self, own: Any, wide: Any, through: Any) -> None:
        """Store a result, dithered where it is rounded, and what it was rounded from: where this is rounded no more, what it was
        before the rounding in front of it."""
        if not isinstance(wide, torch.Tensor) or not wide.is_floating_point():
            return
        dithered, inexact = self.dithered(wide.double(), own.dtype)
        own.copy_(dithered)
        self.set(own, wide.double() if inexact else through.double())

    def set(self, own: Any, values: Any) -> None:
        held = self.before.get(id(own))
        if held is not None and held[1].shape == values.shape and held[1] is not values:
            held[1].copy_(values)  # what views it sees it as well
        else:
            self.before[id(own)] = (own, values)

    def dithered(self, wide: Any, dtype: Any) -> tuple[Any, bool]:
        """float64 values in a type of fewer bits, moved by up to a step before they are rounded; whether any is rounded at all."""
        rounded = wide.to(dtype)
        apart = rounded.double() != wide
        inexact = bool((apart & torch.isfinite(wide)).any())
        if not inexact or dtype.itemsize == 1:  # of which rounding is what the task asks for
            return rounded, inexact
        moved = wide + torch.where(apart, self.noise(wide) * ulp(wide, dtype), 0.0)
        return moved.to(dtype), True

    def with_rounded_operands(self, name: str, args: Any) -> Any:
        """The arguments of a product, those rounded that were computed in a wider type; of a sum of products at least one."""
        rounded = tree_map(self.operand, args)
        place = CONTRACTIONS.get(name)
        if place is None or any(one is not other for one, other in zip(rounded, args, strict=True)):
            return rounded
        factor = args[place]
        if not isinstance(factor, torch.Tensor) or factor.dtype is not self.narrow:
            return rounded
        wide = factor.double()
        moved = (wide + self.noise(wide) * ulp(wide, factor.dtype)).to(factor.dtype)
        return (*rounded[:place], moved, *rounded[place + 1 :])

    def summed_in_steps(self, name: str, args: Any, wide: Any) -> Any:
        """Sums of products as an accumulator of the narrow type leaves them, were they as short as may be."""
        first, second = args[CONTRACTIONS[name]], args[CONTRACTIONS[name] + 1]
        terms = second[0].numel() if name.startswith("convolution") else first.shape[-1]
        steps = _DITHERED_STEP * math.sqrt(min(int(terms), SHORT_SUM) / 2)
        size = wide.square().mean().sqrt() if wide.ndim < 2 else wide.square().mean(-1, keepdim=True).sqrt()
        step = size * 2.0 ** -FORMATS[self.narrow][0]
        return wide + math.sqrt(3) * steps * self.noise(wide) * step

    def operand(self, value: Any) -> Any:
        """An operand of a product that was computed in a wider type."""
        if (
            not isinstance(value, torch.Tensor)
            or value.dtype is not torch.float32
            or storage_of(value) in self.given
        ):
            return value
        moved, inexact = self.dithered(value.double(), self.narrow)
        return moved.to(value.dtype) if inexact else value

    def noise(self, values: Any) -> Any:
        """Between -1 and 1, the same for equal numbers of one operator."""
        bits = values.float().contiguous().view(torch.int32).long() + (self.seed * 0x9E3779B1 & 0x7FFFFFFF)
        for _ in range(2):
            bits = ((bits ^ (bits >> 15)) * 0x2C1B3C6D) & 0x7FFFFFFF
            bits = ((bits ^ (bits >> 12)) * 0x297A2D39) & 0x7FFFFFFF
        return (bits ^ (bits >> 15)).double() / 2.0**30 - 1.0

    def unrounded(self, output: Any) -> Any:
        """float64 values of an output before its last rounding."""
        return self.before[id(output)][1] if id(output) in self.before else output.double()


def ulp(values: Any, dtype: Any) -> Any:
    """The distance between neighbours of `dtype` at each of some float64 values; of nought the smallest one."""
    fraction, smallest = FORMATS[dtype]
    exponent = torch.frexp(values)[1].clamp(min=smallest + 1) - 1 - fraction
    return torch.ldexp(torch.ones_like(values), exponent)


def is_narrow(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.element_size() < 4


def concerns_narrow(value: Any) -> bool:
    """Whether an argument is narrow, or asks for a narrow result."""
    return is_narrow(value) or (isinstance(value, torch.dtype) and value in FORMATS and value.itemsize < 4)


def is_written(func: Any, args: Any, value: Any) -> bool:
    """Whether an operator changes one of its arguments."""
    return any(
        value is argument and formal.alias_info is not None and formal.alias_info.is_write
        for formal, argument in zip(func._schema.arguments, args, strict=False)
    )


def storage_of(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


def narrowest(tensors: Iterable[Any]) -> Any:
    """The narrowest type of 16 bits among tensors; None where there is none."""
    types = {t.dtype for t in tensors if is_narrow(t) and t.element_size() == 2}
    return max(types, key=lambda dtype: torch.finfo(dtype).eps) if types else None


def rms(values: Any) -> float:
    finite = values[torch.isfinite(values)]
    return math.sqrt(float((finite * finite).mean())) if finite.numel() else 0.0
