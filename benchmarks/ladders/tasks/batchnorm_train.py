"""Batch normalisation in training: statistics of each channel, then the channel normalised."""

import torch
import torch.nn as nn

N = 64
C = 128
H = 56
SMALL = {"N": 4, "C": 4, "H": 8}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, w, b):
        mean = x.mean((0, 2, 3), keepdim=True)
        var = x.var((0, 2, 3), unbiased=False, keepdim=True)
        return (x - mean) / (var + 1e-5).sqrt() * w[:, None, None] + b[:, None, None]


def get_inputs():
    return [torch.randn(N, C, H, H), torch.randn(C), torch.randn(C)]


def get_init_inputs():
    return []
