"""Sums of the rows of a ragged matrix of doubles: most are short, some long."""

import torch
import torch.nn as nn

ROWS = 8192
SMALL = {"ROWS": 512}


class Model(nn.Module):
    def forward(self, start, values):
        rows = torch.repeat_interleave(torch.arange(start.numel() - 1), start.diff().long())
        return torch.zeros(start.numel() - 1, dtype=values.dtype).index_add(0, rows, values)


def get_inputs():
    count = 3 + 20000 // (1 + (torch.arange(ROWS) * 7919) % 512)
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).int()
    return [start, torch.randn(int(start[-1]), dtype=torch.float64)]


def get_init_inputs():
    return []
