"""A half linear layer with an adapter of rank 16: x W' + 2 (x A') B', float32 sums and a half result."""

import torch
import torch.nn as nn

T = 2048
IN = 1024
OUT = 1024
SMALL = {"T": 128, "IN": 64, "OUT": 128}
ATOL, RTOL = 5e-2, 1e-2


class Model(nn.Module):
    def forward(self, x, w, a, b):
        x = x.float()
        return (x @ w.float().t() + 2.0 * (x @ a.float().t()) @ b.float().t()).half()


def get_inputs():
    return [
        torch.randn(T, IN).half(),
        (torch.randn(OUT, IN) * 0.03).half(),
        (torch.randn(16, IN) * 0.03).half(),
        (torch.randn(OUT, 16) * 0.3).half(),
    ]


def get_init_inputs():
    return []
