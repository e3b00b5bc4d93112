"""The principal branch of Lambert's W for arguments from nought to a million, in double precision."""

import torch
import torch.nn as nn

N = 2000000
SMALL = {"N": 1500}
ATOL, RTOL = 1e-10, 1e-10
requires = {"x": "0 <= x <= 1000000"}


class Model(nn.Module):
    def forward(self, x):
        w = torch.log1p(x) * 0.75
        for _ in range(40):
            e = torch.exp(w)
            f = w * e - x
            w = w - f / (e * (w + 1) - (w + 2) * f / (2 * w + 2))
        return w


def get_inputs():
    return [torch.exp(torch.rand(N, dtype=torch.float64) * 16 - 4)]


def get_init_inputs():
    return []
