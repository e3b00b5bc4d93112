"""Histogram of bytes."""

import torch
import torch.nn as nn

N = 1 << 26
SMALL = {"N": 1 << 16}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return torch.bincount(x.int(), minlength=256).to(torch.int32)


def get_inputs():
    return [torch.randint(0, 256, (N,), dtype=torch.uint8)]


def get_init_inputs():
    return []
