"""A matrix of sparse blocks of 32 x 32 halves, rows of 4 to 28 blocks, times a dense matrix, into floats."""

import torch
import torch.nn as nn

R = 256
N = 512
SMALL = {"R": 8, "N": 128}
ATOL, RTOL = 2e-2, 1e-3


class Model(nn.Module):
    def forward(self, start, col, val, x):
        row = torch.repeat_interleave(torch.arange(start.shape[0] - 1, device=x.device), start.diff().long())
        prod = torch.bmm(val.float(), x.float().view(-1, 32, x.shape[1])[col.long()])
        out = torch.zeros(start.shape[0] - 1, 32, x.shape[1], device=x.device)
        return out.index_add(0, row, prod).flatten(0, 1)


def get_inputs():
    count = torch.randint(4, 29, (R,))
    start = torch.cat([torch.zeros(1, dtype=torch.long), count.cumsum(0)]).int()
    blocks = int(start[-1])
    return [
        start,
        torch.randint(0, R, (blocks,), dtype=torch.int32),
        torch.randn(blocks, 32, 32).half(),
        torch.randn(R * 32, N).half(),
    ]


def get_init_inputs():
    return []
