"""A polynomial of degree 256 in every element."""

import torch
import torch.nn as nn

N = 1 << 21
SMALL = {"N": 1 << 12}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, c):
        y = torch.zeros_like(x)
        for k in range(256):
            y = y * x + c[k]
        return y


def get_inputs():
    return [torch.rand(N) * 1.8 - 0.9, torch.randn(256)]


def get_init_inputs():
    return []
