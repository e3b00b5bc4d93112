"""Half-precision numbers, doubled and shifted."""

import torch

N = 800


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2 + 1


def get_inputs():
    return [torch.randn(N).half()]


def get_init_inputs():
    return []
