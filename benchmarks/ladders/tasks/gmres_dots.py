"""Products of a vector with twelve basis vectors, in double precision: the projections of a step of GMRES."""

import torch
import torch.nn as nn

M = 12
N = 1200000
SMALL = {"M": 12, "N": 5003}
ATOL, RTOL = 1e-7, 1e-9


class Model(nn.Module):
    def forward(self, basis, w):
        return (basis * w).sum(1)


def get_inputs():
    return [torch.randn(M, N, dtype=torch.float64), torch.randn(N, dtype=torch.float64)]


def get_init_inputs():
    return []
