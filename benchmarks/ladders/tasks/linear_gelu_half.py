"""A linear layer of halves with bias and GELU: gelu(x w^T + b)."""

import torch
import torch.nn as nn
import torch.nn.functional as F

M = 2048
K = 768
N = 3072
SMALL = {"M": 128, "K": 64, "N": 128}
ATOL, RTOL = 1e-2, 1e-2


class Model(nn.Module):
    def forward(self, x, w, b):
        return F.gelu(F.linear(x, w, b))


def get_inputs():
    return [torch.randn(M, K).half(), (torch.randn(N, K) / K**0.5).half(), torch.randn(N).half()]


def get_init_inputs():
    return []
