"""Matrix product of float16 matrices with float32 accumulation and a float32 result, row-major."""

import torch
import torch.nn as nn

M = 2048
N = 2048
K = 2048
SMALL = {"M": 128, "N": 128, "K": 64}
ATOL, RTOL = 5e-2, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.float(), b.float())


def get_inputs():
    return [torch.randn(M, K).half(), torch.randn(K, N).half()]


def get_init_inputs():
    return []
