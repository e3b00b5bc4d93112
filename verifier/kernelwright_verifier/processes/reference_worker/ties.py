"""Where equals stand in what a task orders: which of them comes first is anybody's choice."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Which of equals come first is theirs to choose.
ORDERS_EQUALS = frozenset("topk sort argsort kthvalue median mode".split())
# In float64, by what share of themselves two numbers may differ that are computed alike.
ALIKE = 2.0**-40


class Ties(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that looks, at each operator that orders, which of the places that it gives equals fill."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found: list[tuple[Any, Any]] = []
        """places that an operator gave, and for each whether equals fill it: of those that met any"""

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
                    self.found.append((result[1], tied))
        return result

    def in_output(self, output: Any) -> Any:
        """For places that are an output as they are, which of them equals fill; None for any other output."""
        for places, tied in self.found:
            if (
                places.data_ptr() == output.data_ptr()
                and places.shape == output.shape
                and places.stride() == output.stride()
            ):
                return tied
        return None


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
