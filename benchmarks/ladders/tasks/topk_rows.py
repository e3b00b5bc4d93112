"""The eight largest values of each row, in order."""

import torch
import torch.nn as nn

ROWS = 16384
D = 4096
SMALL = {"ROWS": 8, "D": 512}
ATOL, RTOL = 0.0, 1e-6


class Model(nn.Module):
    def forward(self, x):
        return torch.topk(x, 8, dim=-1).values


def get_inputs():
    return [torch.randn(ROWS, D)]


def get_init_inputs():
    return []
