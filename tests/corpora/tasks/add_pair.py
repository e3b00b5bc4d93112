"""A sum."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a + b


N = 5000


def get_inputs():
    return [torch.randn(N), torch.randn(N)]


def get_init_inputs():
    return []
