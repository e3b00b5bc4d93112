"""Whether a row has a positive element."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x > 0).any(dim=1)


N = 64
D = 64


def get_inputs():
    return [torch.randn(N, D) - 2.5]


def get_init_inputs():
    return []
