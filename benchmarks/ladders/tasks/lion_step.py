"""A step of the Lion optimiser: new weights and new momentum, one after the other."""

import torch
import torch.nn as nn

N = 20000020
SMALL = {"N": 5004}
ATOL, RTOL, BAD_SHARE = 1e-4, 1e-5, 1e-4


class Model(nn.Module):
    def forward(self, p, m, g):
        step = torch.sign(0.9 * m + 0.1 * g)
        return torch.stack((p * (1 - 0.01 * 0.1) - 0.01 * step, 0.99 * m + 0.01 * g))


def get_inputs():
    return [torch.randn(N), torch.randn(N) * 0.1, torch.randn(N)]


def get_init_inputs():
    return []
