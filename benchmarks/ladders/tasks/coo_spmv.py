"""A sparse matrix of coordinates, sorted by row, times a vector; the first rows are much longer than the last."""

import torch
import torch.nn as nn

N = 150000
NNZ = 4000000
SMALL = {"N": 300, "NNZ": 5000}
ATOL, RTOL = 1e-2, 1e-3


class Model(nn.Module):
    def forward(self, row, col, val, x):
        return torch.zeros_like(x).index_add(0, row.long(), val * x[col.long()])


def get_inputs():
    row = (torch.rand(NNZ, dtype=torch.float64) ** 2 * N).int().clamp(max=N - 1).sort()[0]
    return [row, torch.randint(0, N, (NNZ,), dtype=torch.int32), torch.randn(NNZ), torch.randn(N)]


def get_init_inputs():
    return []
