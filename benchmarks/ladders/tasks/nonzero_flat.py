"""The places of the positive numbers of a vector in their order, -1 behind them."""

import torch
import torch.nn as nn

N = 1 << 22
SMALL = {"N": 1 << 14}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        at = (x > 0).nonzero()[:, 0]
        return torch.nn.functional.pad(at, (0, x.numel() - at.numel()), value=-1).int()


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
