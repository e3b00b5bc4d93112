"""A linear layer in float32: relu(x w + bias)."""

import torch
import torch.nn as nn

M = 1280
N = 1536
K = 768
SMALL = {"M": 128, "N": 128, "K": 32}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, w, bias):
        return torch.relu(torch.matmul(x, w) + bias)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N), torch.randn(N)]


def get_init_inputs():
    return []
