"""Tensors that a task makes alike in every draw: tables of cosines, windows, permutations that are none of chance."""

from __future__ import annotations

import torch

from .instance import Instance
from .loading import LoadedTask

DRAWS = (1, 2)


def unvaried(task: LoadedTask) -> frozenset[str]:
    """Names of the inputs, parameters and buffers that hold the same under any seed."""
    if task.unvaried is None:
        with torch.no_grad():
            one, other = (Instance(task, seed).tensors for seed in DRAWS)
        task.unvaried = frozenset(
            name
            for name, tensor in one.items()
            if name in other and other[name].shape == tensor.shape and bool(torch.equal(tensor, other[name]))
        )
    return task.unvaried
