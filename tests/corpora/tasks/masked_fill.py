"""Masked fill."""

import torch
import torch.nn as nn

ROWS = 24
COLS = 200


class Model(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask, -1e9)


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.zeros(ROWS, COLS, dtype=torch.bool)]


def get_init_inputs():
    return []
