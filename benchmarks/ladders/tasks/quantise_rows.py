"""Rows scaled by their largest magnitude to int8."""

import torch
import torch.nn as nn

ROWS = 8192
D = 4096
SMALL = {"ROWS": 16, "D": 1024}
ATOL, RTOL = 1.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return torch.round(x / x.abs().amax(-1, keepdim=True) * 127.0).to(torch.int8)


def get_inputs():
    return [torch.randn(ROWS, D)]


def get_init_inputs():
    return []
