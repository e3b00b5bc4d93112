"""A bias that is added."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.randn(1))

    def forward(self, x):
        return x + self.bias


def get_inputs():
    return [torch.randn(500)]


def get_init_inputs():
    return []
