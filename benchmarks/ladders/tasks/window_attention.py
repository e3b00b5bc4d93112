"""Attention within windows of 64 tokens, heads 32 wide, halves."""

import torch
import torch.nn as nn

B = 4096
SMALL = {"B": 8}
ATOL, RTOL = 5e-3, 5e-3


class Model(nn.Module):
    def forward(self, q, k, v):
        s = torch.softmax(q.float() @ k.float().transpose(-1, -2) * 0.17677669, -1)
        return (s @ v.float()).half()


def get_inputs():
    return [torch.randn(B, 64, 32).half(), torch.randn(B, 64, 32).half(), torch.randn(B, 64, 32).half()]


def get_init_inputs():
    return []
