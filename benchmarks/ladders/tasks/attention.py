"""Attention of heads without a mask: softmax(q k^T / 8) v, 64 wide."""

import torch
import torch.nn as nn

BH = 32
S = 1024
SMALL = {"BH": 1, "S": 128}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) * 0.125, -1) @ v


def get_inputs():
    return [torch.randn(BH, S, 64), torch.randn(BH, S, 64), torch.randn(BH, S, 64)]


def get_init_inputs():
    return []
