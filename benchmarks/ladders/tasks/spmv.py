"""Sparse matrix, rows of CSR with 8 to 88 entries, times a vector."""

import torch
import torch.nn as nn

ROWS = 131072
SMALL = {"ROWS": 512}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, start, col, val, x):
        rows = torch.repeat_interleave(
            torch.arange(start.numel() - 1, device=start.device), start.diff().long()
        )
        out = torch.zeros(start.numel() - 1, dtype=x.dtype, device=x.device)
        return out.index_add(0, rows, val * x[col.long()])


def get_inputs():
    count = 8 + (torch.arange(ROWS) * 37) % 81
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).to(torch.int32)
    n = int(start[-1])
    return [start, torch.randint(0, ROWS, (n,), dtype=torch.int32), torch.randn(n), torch.randn(ROWS)]


def get_init_inputs():
    return []
