"""Dot product of float64 vectors."""

import torch
import torch.nn as nn

N = 1 << 24
SMALL = {"N": 1 << 14}
ATOL, RTOL = 1e-6, 1e-9


class Model(nn.Module):
    def forward(self, x, y):
        return (x * y).sum().reshape(1)


def get_inputs():
    return [torch.rand(N, dtype=torch.float64), torch.rand(N, dtype=torch.float64)]


def get_init_inputs():
    return []
