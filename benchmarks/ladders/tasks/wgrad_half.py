"""Gradient of a linear layer's weight: dy' x over many rows, halves, float32 sums and result."""

import torch
import torch.nn as nn

T = 8192
OUT = 512
IN = 512
SMALL = {"T": 256, "OUT": 128, "IN": 64}
ATOL, RTOL = 1e-1, 1e-2


class Model(nn.Module):
    def forward(self, dy, x):
        return dy.float().t() @ x.float()


def get_inputs():
    return [torch.randn(T, OUT).half(), torch.randn(T, IN).half()]


def get_init_inputs():
    return []
