"""Sign of exponential."""

import torch
import torch.nn as nn

N = 3000


class Model(nn.Module):
    def forward(self, x):
        return torch.sign(torch.exp(x))


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
