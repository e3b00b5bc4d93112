"""Tied elements in what a task orders: any of them may come first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Which of equals come first is theirs to choose.
ORDERS_EQUALS = frozenset("topk sort argsort kthvalue median mode".split())
# In float64, by what share of themselves two numbers may differ that are computed alike.
ALIKE = 2.0**-40
# Numbers that a kernel computes for itself before it orders them differ from the task's by so many units in the last place.
ROUNDINGS = 16.0


@dataclass(frozen=True, slots=True)
class Order:
    """What an operator that met equals has given."""

    places: Any
    tied: Any
    """for each place whether equals fill it"""
    ranks: Any
    """int32, of each element that was ordered: which of the different numbers along `dim` it is; equals share one"""
    dim: int


class Ties(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that looks, at each operator that orders, which of the places that it gives equals fill.

    Args:
        own: the narrowest type of real numbers that the task is given.
    """

    def __init__(self, own: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.own = own
        self.found: list[Order] = []
        """of operators that met equals"""

    def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func.__name__.split(".")[0]
        if name in ORDERS_EQUALS and isinstance(result, tuple) and len(result) == 2:
            given = {formal.name: formal.default_value for formal in func._schema.arguments}
            given |= dict(zip(given, args, strict=False)) | kwargs
            if not given.get("stable"):
                tied = filled_by_equals(name, given, *result)
                if bool(tied.any()):
                    ranks = ranks_along(given["dim"], given["self"], self.own)
                    if name == "topk" and not given["sorted"]:
                        ranks = chosen_alike(given["dim"], ranks, result[1])
                    self.found.append(Order(result[1], tied, ranks, given["dim"]))
        return result

    def in_output(self, output: Any) -> Order | None:
        """The order whose places are an output as they are; None for any other output."""
        for order in self.found:
            places = order.places
            if (
                places.data_ptr() == output.data_ptr()
                and places.shape == output.shape
                and places.stride() == output.stride()
            ):
                return order
        return None


def ranks_along(dim: int, tensor: Any, own: Any) -> Any:
    """Dense ranks of a tensor's elements along a dimension. Numbers that no value of the type `own` is, and that were computed
    therefore, share a rank with those that its rounding does not tell from them."""
    ordered, places = torch.sort(tensor, dim)
    count = ordered.shape[dim]
    ranks = torch.zeros(ordered.shape, dtype=torch.int32)
    if count > 1:
        one, other = ordered.narrow(dim, 0, count - 1), ordered.narrow(dim, 1, count - 1)
        same = alike(one, other)
        if tensor.is_floating_point() and not bool(alike(tensor, tensor.to(own).to(tensor.dtype)).all()):
            finite = torch.where(torch.isfinite(tensor), tensor, torch.zeros_like(tensor))
            rounding = ROUNDINGS * torch.finfo(own).eps * finite.abs().amax(dim, keepdim=True)
            same |= (other - one).abs() <= rounding
        ranks.narrow(dim, 1, count - 1).copy_((~same).cumsum(dim))
    return torch.empty_like(ranks).scatter_(dim, places, ranks)


def chosen_alike(dim: int, ranks: Any, places: Any) -> Any:
    """Ranks where all that were chosen, and the equals of those, are one: they may stand in any order."""
    chosen = ranks.gather(dim, places)
    among = (ranks >= chosen.amin(dim, keepdim=True)) & (ranks <= chosen.amax(dim, keepdim=True))
    return torch.where(among, torch.full_like(ranks, -1), ranks)


def filled_by_equals(name: str, given: dict[str, Any], values: Any, places: Any) -> Any:
    """Of an operator's places, those for which it had equals to choose from."""
    tensor, dim = given["self"], given["dim"]
    if tensor.ndim == 0:
        return torch.zeros_like(places, dtype=torch.bool)
    if name == "topk":
        # With the one that was left out; unsorted, any of them may be meant.
        count = min(given["k"] + 1, tensor.shape[dim])
        ordered = torch.topk(tensor, count, dim, given["largest"], True).values
        tied = beside_its_like(ordered, dim).narrow(dim, 0, given["k"])
        return tied if given["sorted"] else tied.any(dim, keepdim=True).expand(places.shape)
    if name == "sort":
        return beside_its_like(values, dim)
    chosen = values if given["keepdim"] else values.unsqueeze(dim)
    several = alike(tensor, chosen).sum(dim, keepdim=True) > 1
    return several if given["keepdim"] else several.squeeze(dim)


def beside_its_like(ordered: Any, dim: int) -> Any:
    """Elements whose neighbour along an order is as large."""
    tied = torch.zeros(ordered.shape, dtype=torch.bool)
    count = ordered.shape[dim]
    if count > 1:
        same = alike(ordered.narrow(dim, 0, count - 1), ordered.narrow(dim, 1, count - 1))
        tied.narrow(dim, 0, count - 1).logical_or_(same)
        tied.narrow(dim, 1, count - 1).logical_or_(same)
    return tied


def alike(one: Any, other: Any) -> Any:
    if not one.is_floating_point():
        return one == other
    near = (one - other).abs() <= ALIKE * torch.maximum(one.abs(), other.abs())
    return near & torch.isfinite(one) | (one == other) | (torch.isnan(one) & torch.isnan(other))
