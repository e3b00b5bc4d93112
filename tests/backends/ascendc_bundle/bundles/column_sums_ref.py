"""The sum of each column."""

import torch

ROWS = 50
COLUMNS = 64


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sum(x, dim=0)


def get_inputs():
    return [torch.rand(ROWS, COLUMNS)]


def get_init_inputs():
    return []
