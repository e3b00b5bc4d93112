"""Rank of every element among the 512 of its row, equal ones in their order."""

import torch
import torch.nn as nn

R = 2048
D = 512
SMALL = {"R": 16, "D": 512}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return x.argsort(dim=1, stable=True).argsort(1).to(torch.int32)


def get_inputs():
    return [torch.randn(R, D)]


def get_init_inputs():
    return []
