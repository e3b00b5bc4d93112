"""Convolution in three dimensions, 3 x 3 x 3, 8 channels to 16, borders of zeros."""

import torch
import torch.nn as nn
import torch.nn.functional as F

D = 37
H = 58
W = 90
SMALL = {"D": 5, "H": 9, "W": 37}
ATOL, RTOL = 1e-3, 1e-4


class Model(nn.Module):
    def forward(self, x, w):
        return F.conv3d(x[None], w, padding=1)[0]


def get_inputs():
    return [torch.randn(8, D, H, W), torch.randn(16, 8, 3, 3, 3) * 0.1]


def get_init_inputs():
    return []
