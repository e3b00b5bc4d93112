"""Product of a lower triangular matrix, whose upper half holds anything, and a matrix of floats."""

import torch
import torch.nn as nn

N = 2048
M = 1024
SMALL = {"N": 128, "M": 64}
ATOL, RTOL = 5e-3, 1e-3


class Model(nn.Module):
    def forward(self, low, b):
        return torch.tril(low) @ b


def get_inputs():
    return [torch.randn(N, N), torch.randn(N, M)]


def get_init_inputs():
    return []
