"""A gradient scaled so that its Euclidean norm is at most one."""

import torch
import torch.nn as nn

N = 1 << 23
SMALL = {"N": 1 << 16}
ATOL, RTOL = 1e-8, 1e-4


class Model(nn.Module):
    def forward(self, g):
        return g * torch.clamp(1.0 / (torch.linalg.vector_norm(g) + 1e-6), max=1.0)


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
