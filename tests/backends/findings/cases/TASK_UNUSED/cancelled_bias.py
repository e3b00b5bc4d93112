"""A bias that is added and taken away."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.randn(1))

    def forward(self, x):  # expect: TASK_UNUSED
        return x + 0.0 * self.bias


def get_inputs():
    return [torch.randn(500)]


def get_init_inputs():
    return []
