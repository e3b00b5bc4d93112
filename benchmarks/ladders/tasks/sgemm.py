"""Matrix product, fp32, row-major."""

import torch
import torch.nn as nn

M = 2048
N = 2048
K = 2048
SMALL = {"M": 128, "N": 256, "K": 64}
ATOL, RTOL = 2e-2, 1e-3
BYTES_IDEAL = "4 * (M * K + K * N + M * N)"


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]


def get_init_inputs():
    return []
