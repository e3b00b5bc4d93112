"""Attention without softmax: queries times the product of keys and values, heads of 64, no mask."""

import torch
import torch.nn as nn

H = 32
T = 4096
SMALL = {"H": 1, "T": 512}
ATOL, RTOL = 1e-1, 1e-2


class Model(nn.Module):
    def forward(self, q, k, v):
        kv = k.float().transpose(1, 2) @ v.float() / 64
        return (q.float() @ kv).to(q.dtype)


def get_inputs():
    return [torch.randn(H, T, 64).bfloat16() for _ in range(3)]


def get_init_inputs():
    return []
