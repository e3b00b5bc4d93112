"""Normalisation of planes with what was learned of their channel, then ReLU: max(0, x * a[c] + b[c])."""

import torch
import torch.nn as nn

B = 32
C = 128
HW = 3136
SMALL = {"B": 2, "C": 8, "HW": 784}
ATOL, RTOL = 1e-5, 1e-5


class Model(nn.Module):
    def forward(self, x, mean, var, weight, bias):
        return torch.relu(nn.functional.batch_norm(x, mean, var, weight, bias, False, 0.0, 1e-5))


def get_inputs():
    return [torch.randn(B, C, HW), torch.randn(C), torch.rand(C) + 0.5, torch.rand(C) + 0.5, torch.randn(C)]


def get_init_inputs():
    return []
