"""Product of square double-precision matrices."""

import torch
import torch.nn as nn

N = 1024
SMALL = {"N": 128}
ATOL, RTOL = 1e-9, 1e-9


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(N, N, dtype=torch.float64), torch.randn(N, N, dtype=torch.float64)]


def get_init_inputs():
    return []
