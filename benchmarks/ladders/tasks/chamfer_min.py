"""For each point of a cloud the square of the distance to the nearest point of another cloud."""

import torch
import torch.nn as nn

B = 8
N = 8192
M = 8192
SMALL = {"B": 2, "N": 150, "M": 130}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, a, b):
        best = []
        for p, q in zip(a, b, strict=True):
            best.append(torch.cat([(s[:, None] - q[None]).square().sum(2).amin(1) for s in p.split(1024)]))
        return torch.stack(best)


def get_inputs():
    return [torch.randn(B, N, 3), torch.randn(B, M, 3)]


def get_init_inputs():
    return []
