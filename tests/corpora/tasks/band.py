"""Band."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.tril(torch.triu(x, 1))


def get_inputs():
    return [torch.randn(60, 60)]


def get_init_inputs():
    return []
