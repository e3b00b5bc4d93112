"""A flat product of bfloat16 matrices with a long inner dimension, float32 result."""

import torch
import torch.nn as nn

M = 128
N = 2048
K = 8192
SMALL = {"M": 64, "N": 64, "K": 512}
ATOL, RTOL = 1e-1, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.float(), b.float())


def get_inputs():
    return [torch.randn(M, K).bfloat16(), torch.randn(K, N).bfloat16()]


def get_init_inputs():
    return []
