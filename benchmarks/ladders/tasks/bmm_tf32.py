"""Batched product of square matrices of floats; tensor cores may round to TF32."""

import torch
import torch.nn as nn

B = 64
N = 256
SMALL = {"B": 2, "N": 128}
ATOL, RTOL = 2e-1, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(B, N, N), torch.randn(B, N, N)]


def get_init_inputs():
    return []
