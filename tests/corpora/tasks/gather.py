"""Rows of a table by their indices."""

import torch

TABLE = 50
WIDTH = 16
COUNT = 30

requires = {"index": "0 <= index < TABLE"}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(TABLE, WIDTH))

    def forward(self, index):
        return self.table[index] * 2.0


def get_inputs():
    return [torch.randint(0, TABLE, (COUNT,))]


def get_init_inputs():
    return []
