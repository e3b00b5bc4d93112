"""64 short vectors, each scaled by its own factor, shifted and squashed."""

import torch
import torch.nn as nn

B = 64
N = 16384
SMALL = {"B": 8, "N": 1024}
ATOL, RTOL = 1e-5, 1e-5


class Model(nn.Module):
    def forward(self, x, scale):
        y = x * scale[:, None] + 0.5
        return y / (1 + y.abs())


def get_inputs():
    return [torch.randn(B, N), torch.randn(B)]


def get_init_inputs():
    return []
