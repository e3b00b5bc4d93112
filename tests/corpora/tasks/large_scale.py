"""Twice the input, at a size that is judged reduced."""

import torch

N = 1 << 23


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(N)]


def get_init_inputs():
    return []
