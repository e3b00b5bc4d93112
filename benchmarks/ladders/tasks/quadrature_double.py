"""Integrals over many intervals of exp(-x * x) * cos(b * x) in double precision, by sixteen points of Gauss and Legendre."""

import torch
import torch.nn as nn

N = 400000
SMALL = {"N": 500}
ATOL, RTOL = 1e-11, 1e-9
NODES = (
    0.09501250983763744,
    0.2816035507792589,
    0.45801677765722737,
    0.6178762444026438,
    0.755404408355003,
    0.8656312023878318,
    0.9445750230732326,
    0.9894009349916499,
)
WEIGHTS = (
    0.18945061045506864,
    0.18260341504492364,
    0.16915651939500265,
    0.1495959888165767,
    0.12462897125553407,
    0.0951585116824926,
    0.062253523938647456,
    0.027152459411754176,
)


class Model(nn.Module):
    def forward(self, low, high, b):
        mid, half = 0.5 * (low + high), 0.5 * (high - low)
        total = torch.zeros_like(low)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            for x in (mid + node * half, mid - node * half):
                total = total + weight * torch.exp(-x * x) * torch.cos(b * x)
        return total * half


def get_inputs():
    low = torch.rand(N, dtype=torch.float64) * 4 - 2
    return [low, low + torch.rand(N, dtype=torch.float64), torch.rand(N, dtype=torch.float64) * 6]


def get_init_inputs():
    return []
