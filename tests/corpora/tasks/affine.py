"""Each column scaled and shifted by its own parameters, which begin as ones and zeros."""

import torch

ROWS = 24
COLUMNS = 40


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(COLUMNS))
        self.bias = torch.nn.Parameter(torch.zeros(COLUMNS))

    def forward(self, x):
        return x * self.weight + self.bias


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
