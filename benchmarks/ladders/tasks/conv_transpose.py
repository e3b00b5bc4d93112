"""Transposed convolution: kernel 4 by 4, stride 2, padding 1."""

import torch
import torch.nn as nn
import torch.nn.functional as F

N = 8
C = 32
H = 64
SMALL = {"N": 1, "C": 4, "H": 8}
ATOL, RTOL = 2e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, w):
        return F.conv_transpose2d(x, w, stride=2, padding=1)


def get_inputs():
    return [torch.randn(N, C, H, H), torch.randn(C, C, 4, 4) * 0.1]


def get_init_inputs():
    return []
