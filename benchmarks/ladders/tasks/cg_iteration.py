"""One iteration of conjugate gradients for Poisson's equation on a grid (five points, nought outside), in double precision: x, r and p after it."""

import torch
import torch.nn as nn

H = 1000
W = 1200
SMALL = {"H": 30, "W": 52}
ATOL, RTOL = 1e-7, 1e-8


class Model(nn.Module):
    def forward(self, x, r, p):
        pad = nn.functional.pad(p, (1, 1, 1, 1))
        q = 4 * p - pad[:-2, 1:-1] - pad[2:, 1:-1] - pad[1:-1, :-2] - pad[1:-1, 2:]
        rr = (r * r).sum()
        alpha = rr / (p * q).sum()
        after = r - alpha * q
        return torch.stack((x + alpha * p, after, after + (after * after).sum() / rr * p))


def get_inputs():
    return [torch.randn(H, W, dtype=torch.float64) for _ in range(3)]


def get_init_inputs():
    return []
