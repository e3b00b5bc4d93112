"""Low rank."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(64, 48) * 0.1)
        self.a = nn.Parameter(torch.randn(64, 4) * 0.1)
        self.b = nn.Parameter(torch.zeros(4, 48))

    def forward(self, x):
        return x @ self.w + (x @ self.a) @ self.b


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return []
