"""The two likeliest of sixteen experts in one row: their shares, and behind them their numbers as floats."""

import torch
import torch.nn as nn

T = 4096
SMALL = {"T": 96}


class Model(nn.Module):
    def forward(self, logits):
        share, at = torch.softmax(logits, -1).topk(2, -1)
        return torch.cat([share / share.sum(-1, keepdim=True), at.to(share.dtype)], -1)


def get_inputs():
    return [torch.randn(T, 16)]


def get_init_inputs():
    return []
