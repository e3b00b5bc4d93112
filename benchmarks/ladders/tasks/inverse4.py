"""Inverses of matrices of 4 x 4 floats."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 1 << 10}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x).contiguous()


def get_inputs():
    return [torch.randn(N, 4, 4) + 8.0 * torch.eye(4)]


def get_init_inputs():
    return []
