"""A linear layer and a rectifier."""

import torch

ROWS = 14
INNER = 40
OUTER = 22


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(INNER, OUTER)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.rand(ROWS, INNER)]


def get_init_inputs():
    return []
