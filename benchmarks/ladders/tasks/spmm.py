"""Sparse matrix, rows of CSR with 8 to 56 entries, times a dense matrix of 128 columns."""

import torch
import torch.nn as nn

ROWS = 65536
SMALL = {"ROWS": 256}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, start, col, val, x):
        rows = torch.repeat_interleave(
            torch.arange(start.numel() - 1, device=start.device), start.diff().long()
        )
        out = torch.zeros(start.numel() - 1, x.shape[1], dtype=x.dtype, device=x.device)
        return out.index_add(0, rows, val[:, None] * x[col.long()])


def get_inputs():
    count = 8 + (torch.arange(ROWS) * 29) % 49
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).to(torch.int32)
    n = int(start[-1])
    return [start, torch.randint(0, ROWS, (n,), dtype=torch.int32), torch.randn(n), torch.randn(ROWS, 128)]


def get_init_inputs():
    return []
