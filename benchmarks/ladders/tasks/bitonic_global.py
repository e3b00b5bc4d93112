"""A whole array of integers sorted by a bitonic network."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 1 << 13}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return torch.sort(x).values


def get_inputs():
    return [torch.randint(-(1 << 31), (1 << 31) - 1, (N,)).int()]


def get_init_inputs():
    return []
