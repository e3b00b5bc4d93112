"""A scaled copy of what the caller wants changed."""

import torch

N = 300


class Model(torch.nn.Module):
    def forward(self, x):
        return x.mul_(3)


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
