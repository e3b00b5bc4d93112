"""Three times its input, at a size that no machine without a device takes whole; it divides by six cores."""

import torch

N = 3 << 29


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 3.0


def get_inputs():
    return [torch.rand(N)]


def get_init_inputs():
    return []
