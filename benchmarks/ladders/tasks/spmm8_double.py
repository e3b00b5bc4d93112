"""A sparse matrix of doubles (CSR, rows of 3 to 60 entries) times eight dense columns, as in block Krylov methods."""

import torch
import torch.nn as nn

ROWS = 120000
SMALL = {"ROWS": 200}
ATOL, RTOL = 1e-9, 1e-9


class Model(nn.Module):
    def forward(self, start, col, val, x):
        rows = torch.repeat_interleave(
            torch.arange(start.numel() - 1, device=start.device), start.diff().long()
        )
        out = torch.zeros(start.numel() - 1, x.shape[1], dtype=x.dtype, device=x.device)
        return out.index_add(0, rows, val[:, None] * x[col.long()])


def get_inputs():
    count = 3 + (torch.arange(ROWS) * 37) % 58
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).to(torch.int32)
    n = int(start[-1])
    col = torch.randint(0, ROWS, (n,), dtype=torch.int32)
    return [start, col, torch.randn(n, dtype=torch.float64), torch.randn(ROWS, 8, dtype=torch.float64)]


def get_init_inputs():
    return []
