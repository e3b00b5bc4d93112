"""Product of bfloat16 matrices, the second one transposed, with float32 sums and result."""

import torch
import torch.nn as nn

M = 2048
N = 2048
K = 1024
SMALL = {"M": 128, "N": 128, "K": 64}
ATOL, RTOL = 5e-2, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.float(), b.float().t())


def get_inputs():
    return [torch.randn(M, K).bfloat16(), torch.randn(N, K).bfloat16()]


def get_init_inputs():
    return []
