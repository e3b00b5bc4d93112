"""GELU."""

import torch

N = 4000


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.gelu(x)


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
