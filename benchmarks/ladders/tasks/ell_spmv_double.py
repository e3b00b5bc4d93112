"""Sparse matrix times vector in double precision, 32 entries a row, random columns (ELLPACK by rows)."""

import torch
import torch.nn as nn

ROWS = 1 << 18
SMALL = {"ROWS": 1 << 9}
ATOL, RTOL = 1e-10, 1e-10


class Model(nn.Module):
    def forward(self, vals, cols, x):
        return (vals * x[cols.long()]).sum(1)


def get_inputs():
    return [
        torch.randn(ROWS, 32, dtype=torch.float64),
        torch.randint(0, ROWS, (ROWS, 32)).int(),
        torch.randn(ROWS, dtype=torch.float64),
    ]


def get_init_inputs():
    return []
