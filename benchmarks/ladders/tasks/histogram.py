"""Histogram of int32 values into 256 bins."""

import torch
import torch.nn as nn

N = 1 << 24
SMALL = {"N": 1 << 14}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return torch.bincount(x, minlength=256).to(torch.int32)


def get_inputs():
    return [torch.randint(0, 256, (N,), dtype=torch.int32)]


def get_init_inputs():
    return []
