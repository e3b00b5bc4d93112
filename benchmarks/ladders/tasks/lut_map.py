"""Values looked up in a table of 1024 entries, with linear interpolation."""

import torch
import torch.nn as nn

N = 1 << 25
SMALL = {"N": 1 << 14}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x, table):
        t = x * 1023.0
        i = t.long().clamp(0, 1022)
        a, b = table[i], table[i + 1]
        return a + (b - a) * (t - i)


def get_inputs():
    return [torch.rand(N), torch.randn(1024).cumsum(0) * 0.01]


def get_init_inputs():
    return []
