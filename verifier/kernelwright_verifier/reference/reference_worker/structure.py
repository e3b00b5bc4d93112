"""What must stay true of an input since the task made it so."""

from __future__ import annotations

from typing import Any

import torch

# Of so many random numbers none are in order by chance.
LEAST_IN_ORDER = 8


class Structure:
    """What must stay true of an input since the task made it so: zeros, symmetry, sums to one, order, labels."""

    def __init__(self, tensor: Any) -> None:
        values = tensor.detach().double()
        finite = values[torch.isfinite(values)]
        self.finite = finite.numel() == values.numel()
        self.low = float(finite.min()) if finite.numel() else 0.0
        self.high = float(finite.max()) if finite.numel() else 0.0
        self.mean = float(finite.mean()) if finite.numel() else 0.0
        self.deviation = float(finite.std()) if finite.numel() > 1 else 0.0
        sample = finite.flatten()[:4096]
        self.labels = (
            sample.numel() > 8 and bool((sample == sample.round()).all()) and sample.unique().numel() <= 64
        )
        zeros = values == 0
        self.zeros = (
            zeros
            if not self.labels and float(zeros.double().mean() if values.numel() else 0) > 0.01
            else None
        )
        self.symmetric = (
            values.ndim >= 2
            and values.shape[-1] == values.shape[-2]
            and values.shape[-1] > 1
            and torch.equal(values, values.transpose(-1, -2))
        )
        self.in_order = 0
        if values.ndim and values.shape[-1] >= LEAST_IN_ORDER and self.finite and self.deviation > 0:
            steps = values.diff(dim=-1)
            self.in_order = int(bool((steps >= 0).all())) - int(bool((steps <= 0).all()))
        self.sums_to_one: int | None = None
        if values.ndim >= 1 and self.finite and self.low >= 0 and self.deviation > 0:
            for dim in (values.ndim - 1, *range(values.ndim - 1)):
                sums = values.sum(dim)
                if values.shape[dim] > 1 and bool(((sums - 1).abs() < 0.01).all()):
                    self.sums_to_one = dim
                    break

    def kept(self, values: Any) -> Any:
        """`values` with the structure put back."""
        if self.symmetric:
            values = (values + values.transpose(-1, -2)) / 2
        if self.sums_to_one is not None:
            values = torch.softmax(values.clamp(-30, 30), self.sums_to_one)
        if self.zeros is not None:
            values = torch.where(self.zeros, torch.zeros_like(values), values)
        return self.ordered(values)

    def ordered(self, values: Any) -> Any:
        """`values` in the order that the task's own were in, if they were in any."""
        return values.sort(dim=-1, descending=self.in_order < 0).values if self.in_order else values
