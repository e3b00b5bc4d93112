"""Seven-point stencil of a cube, the border kept."""

import torch
import torch.nn as nn

N = 384
SMALL = {"N": 96}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[1:-1, 1:-1, 1:-1] = (
            x[2:, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, :-2, 1:-1]
            + x[1:-1, 1:-1, 2:] + x[1:-1, 1:-1, :-2] - 6.0 * x[1:-1, 1:-1, 1:-1]
        )  # fmt: skip
        return y


def get_inputs():
    return [torch.randn(N, N, N)]


def get_init_inputs():
    return []
