"""One step of Nesterov SGD with weight decay of 128 tensors, each with its own rate; the new parameters."""

import torch
import torch.nn as nn

L = 128
N = 1 << 16
SMALL = {"L": 8, "N": 1 << 11}
ATOL, RTOL = 1e-5, 1e-4


class Model(nn.Module):
    def forward(self, p, g, m, lr):
        d = g + 0.01 * p
        return p - lr[:, None] * (d + 0.9 * (0.9 * m + d))


def get_inputs():
    return [torch.randn(L, N), torch.randn(L, N), torch.randn(L, N), torch.rand(L) * 0.1]


def get_init_inputs():
    return []
