"""Softened Lennard-Jones forces from lists of 64 neighbours, in double precision."""

import torch
import torch.nn as nn

N = 65536
SMALL = {"N": 256}
ATOL, RTOL = 1e-8, 1e-8


class Model(nn.Module):
    def forward(self, p, near):
        d = p[:, None] - p[near.long()]
        s = 1 / ((d * d).sum(-1) + 0.5)
        s3 = s * s * s
        return (((48 * s3 - 24) * s3 * s)[..., None] * d).sum(1)


def get_inputs():
    at = torch.arange(N)[:, None] + torch.randint(-500, 501, (N, 64))
    return [torch.rand(N, 3, dtype=torch.float64) * 10, (at % N).int()]


def get_init_inputs():
    return []
