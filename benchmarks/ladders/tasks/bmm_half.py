"""Batched product of half matrices, scaled, float32 accumulation and a half result: the scores of an attention by hand."""

import torch
import torch.nn as nn

B = 24
M = 512
N = 512
K = 128
SMALL = {"B": 2, "M": 128, "N": 128, "K": 64}
ATOL, RTOL = 2e-2, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        return (torch.bmm(a.float(), b.float()) * 0.0883883461).half()


def get_inputs():
    return [torch.randn(B, M, K).half(), torch.randn(B, K, N).half()]


def get_init_inputs():
    return []
