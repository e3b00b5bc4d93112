"""Elements that a mask lets through; as given it lets all through."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.where(mask, x, torch.full_like(x, -1e4))


N = 16
D = 128


def get_inputs():
    return [torch.randn(N, D), torch.ones(N, D, dtype=torch.bool)]


def get_init_inputs():
    return []
