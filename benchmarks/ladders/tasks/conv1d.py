"""A convolution of width five along sequences, 64 channels in and out, zeros outside."""

import torch
import torch.nn as nn

B = 16
C = 64
L = 8192
SMALL = {"B": 1, "C": 64, "L": 512}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, w):
        return torch.nn.functional.conv1d(x, w, padding=2)


def get_inputs():
    return [torch.randn(B, C, L), torch.randn(C, C, 5) * 0.1]


def get_init_inputs():
    return []
