"""The router of a mixture of experts: the two likeliest of 64 experts, their weights normalised, then their numbers."""

import torch
import torch.nn as nn

T = 32768
SMALL = {"T": 256}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, logits):
        p, at = torch.softmax(logits, -1).topk(2, -1)
        return torch.cat([p / p.sum(-1, keepdim=True), at.to(p.dtype)], -1)


def get_inputs():
    return [torch.randn(T, 64)]


def get_init_inputs():
    return []
