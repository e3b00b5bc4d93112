"""Of ordinary size."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 0.5


def get_inputs():
    return [torch.rand(512)]


def get_init_inputs():
    return []
