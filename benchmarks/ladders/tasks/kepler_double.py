"""Kepler's equation E - e sin E = M solved for E in double precision."""

import torch
import torch.nn as nn

N = 1 << 21
SMALL = {"N": 1 << 12}
ATOL, RTOL = 1e-10, 1e-10


class Model(nn.Module):
    def forward(self, m, e):
        x = m + 0.85 * e * torch.sign(torch.sin(m))
        for _ in range(12):
            x = x - (x - e * torch.sin(x) - m) / (1 - e * torch.cos(x))
        return x


def get_inputs():
    return [torch.rand(N, dtype=torch.float64) * 6.283185307179586, torch.rand(N, dtype=torch.float64) * 0.7]


def get_init_inputs():
    return []
