"""3x3 convolution with padding 1 and bias, NCHW fp32."""

import torch
import torch.nn as nn

B = 16
C = 32
H = 128
W = 128
K = 64
SMALL = {"B": 1, "C": 4, "H": 32, "W": 32, "K": 16}
ATOL, RTOL = 2e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, w, b):
        return torch.nn.functional.conv2d(x, w, b, padding=1)


def get_inputs():
    return [torch.randn(B, C, H, W), torch.randn(K, C, 3, 3) * 0.1, torch.randn(K)]


def get_init_inputs():
    return []
