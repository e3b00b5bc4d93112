"""The product of an upper triangular matrix, of which the rest is given but not used, with a vector."""

import torch

N = 40


class Model(torch.nn.Module):
    def forward(self, a, v):
        return torch.triu(a) @ v


def get_inputs():
    return [torch.randn(N, N), torch.randn(N)]


def get_init_inputs():
    return []
