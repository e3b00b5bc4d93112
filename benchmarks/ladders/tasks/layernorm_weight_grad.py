"""Gradients of a layer norm to its weight and bias: sums down the rows of halves; mean and 1 / deviation are given."""

import torch
import torch.nn as nn

R = 8192
D = 2048
SMALL = {"R": 256, "D": 512}
ATOL, RTOL = 2e-2, 1e-3


class Model(nn.Module):
    def forward(self, dy, x, mean, rstd):
        g = dy.to(mean.dtype)
        return torch.stack([(g * (x.to(mean.dtype) - mean[:, None]) * rstd[:, None]).sum(0), g.sum(0)])


def get_inputs():
    x = torch.randn(R, D).half()
    return [torch.randn(R, D).half(), x, x.float().mean(1), 1 / x.float().std(1)]


def get_init_inputs():
    return []
