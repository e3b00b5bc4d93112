"""Cumulative sum along the rows of a matrix."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x, dim=1)


ROWS = 2049
LENGTH = 4099
# Rows stay longer than a block, so that the carry from chunk to chunk is exercised.
SMALL = {"ROWS": 33, "LENGTH": 1031}


def get_inputs():
    return [torch.randn(ROWS, LENGTH)]


def get_init_inputs():
    return []
