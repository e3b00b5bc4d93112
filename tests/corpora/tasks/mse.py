"""The mean squared difference."""

import torch

N = 5000


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.mean((a - b) ** 2)


def get_inputs():
    return [torch.rand(N), torch.rand(N)]


def get_init_inputs():
    return []
