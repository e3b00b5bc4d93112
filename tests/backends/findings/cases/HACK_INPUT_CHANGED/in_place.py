"""The input itself is doubled."""

import torch

N = 1000


class Model(torch.nn.Module):
    def forward(self, x):
        return x.mul_(2)


def get_inputs():
    return [torch.rand(N)]


def get_init_inputs():
    return []
