"""Mean, variance, skewness and kurtosis of every row."""

import torch
import torch.nn as nn

R = 16384
D = 1024
SMALL = {"R": 64, "D": 1024}
ATOL, RTOL = 2e-3, 2e-3


class Model(nn.Module):
    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        d = x - mean
        s = d * d
        var = s.mean(1)
        return torch.stack((mean[:, 0], var, (s * d).mean(1) / var**1.5, (s * s).mean(1) / (var * var)), 1)


def get_inputs():
    return [torch.randn(R, D) + 0.5]


def get_init_inputs():
    return []
