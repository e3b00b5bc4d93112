"""A leaky rectifier."""

import torch

N = 2048


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.leaky_relu(x, 0.01)


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
