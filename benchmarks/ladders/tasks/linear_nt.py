"""A linear layer in float32: rows of x against rows of the weight (stored out x in), plus bias, sizes that no tile divides."""

import torch
import torch.nn as nn

M = 1970
N = 1536
K = 500
SMALL = {"M": 150, "N": 140, "K": 52}
ATOL, RTOL = 1e-2, 1e-3


class Model(nn.Module):
    def forward(self, x, w, b):
        return torch.nn.functional.linear(x, w, b)


def get_inputs():
    return [torch.randn(M, K), torch.randn(N, K), torch.randn(N)]


def get_init_inputs():
    return []
