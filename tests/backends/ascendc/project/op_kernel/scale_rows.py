"""Rows times a factor that the operator has as an attribute."""

import torch

ROWS = 37
COLUMNS = 45
SMALL = {"ROWS": 37, "COLUMNS": 45}


class Model(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x


def get_inputs():
    return [torch.rand(ROWS, COLUMNS)]


def get_init_inputs():
    return [3.0]
