"""Columns of a table brought to mean nought and deviation one: statistics over rows, then every entry."""

import torch
import torch.nn as nn

R = 20000
C = 300
SMALL = {"R": 333, "C": 50}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x):
        return (x - x.mean(0)) / (x.var(0, unbiased=False) + 1e-6).sqrt()


def get_inputs():
    return [torch.randn(R, C)]


def get_init_inputs():
    return []
