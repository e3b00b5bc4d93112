"""A product with a matrix, its row maxima, and their sigmoid: order may change."""

import torch

ROWS = 10
INNER = 24
OUTER = 18


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(INNER, OUTER))

    def forward(self, x):
        return torch.sigmoid(x @ self.weight).amax(dim=1)


def get_inputs():
    return [torch.randn(ROWS, INNER)]


def get_init_inputs():
    return []
