"""The input, followed by its squares."""

import torch

N = 256


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cat([x, x * x])


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
