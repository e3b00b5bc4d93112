"""A task that speaks of load_inline, and is none the less a task."""

import torch


class Model(torch.nn.Module):
    """Solutions of this one use load_inline and are called ModelNew."""

    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(1000)]


def get_init_inputs():
    return []
