"""Four steps of a 5-point stencil over a plane; the border stays."""

import torch
import torch.nn as nn

H = 4096
W = 4096
SMALL = {"H": 96, "W": 128}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x):
        for _ in range(4):
            y = x.clone()
            y[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * (
                x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
            )
            x = y
        return x


def get_inputs():
    return [torch.randn(H, W)]


def get_init_inputs():
    return []
