"""Largest of 3 x 3 windows, stride 2."""

import torch
import torch.nn as nn

B = 32
C = 64
H = 129
W = 129
SMALL = {"B": 1, "C": 3, "H": 33, "W": 33}
ATOL, RTOL = 0.0, 0.0
REF = "float32"


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.max_pool2d(x, 3, 2)


def get_inputs():
    return [torch.randn(B, C, H, W)]


def get_init_inputs():
    return []
