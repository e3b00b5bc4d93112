"""Row max."""

import torch
import torch.nn as nn

ROWS = 20
COLS = 260


class Model(nn.Module):
    def forward(self, x):
        return x.amax(dim=1)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
