"""What a task makes of its inputs at first: if its output is the same for all inputs, a kernel need not read more of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves


class FirstUses(TorchFunctionMode):
    """Keeps what functions make of certain tensors and of views of them."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        super().__init__()
        self.looked_at = list(tensors)  # an id() means nothing once its object is gone
        self.made: list[Any] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        known = set(map(id, self.looked_at))
        if any(id(leaf) in known for leaf in tree_leaves((args, kwargs))):
            for made in tree_leaves(result):
                if isinstance(made, torch.Tensor) and made.requires_grad:
                    (self.looked_at if made._is_view() else self.made).append(made)
        return result


def used_elements(uses: FirstUses, leaves: dict[str, Any]) -> dict[str, int]:
    """How many elements of each leaf anything is made of; those of which no derivative tells are left out."""
    total: Any = sum(made.double().nan_to_num().square().sum() + made.double().sum() for made in uses.made)
    if not uses.made:
        return {}
    slopes = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    counts = (0 if slope is None else int((slope != 0).sum()) for slope in slopes)
    return {name: count for name, count in zip(leaves, counts, strict=True) if count}
