"""Forward substitution: a lower triangular matrix and many right-hand sides, in double precision."""

import torch
import torch.nn as nn

N = 256
M = 4096
SMALL = {"N": 256, "M": 64}
ATOL, RTOL = 1e-9, 1e-9


class Model(nn.Module):
    def forward(self, lower, b):
        return torch.linalg.solve_triangular(lower, b, upper=False).contiguous()


def get_inputs():
    lower = torch.tril(torch.randn(N, N, dtype=torch.float64) * 0.05, -1) + torch.diag(
        torch.rand(N, dtype=torch.float64) + 1
    )
    return [lower, torch.randn(N, M, dtype=torch.float64)]


def get_init_inputs():
    return []
