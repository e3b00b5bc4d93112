"""Dynamic time warping: the least sum of differences over the ways through two sequences of 128 numbers."""

import torch
import torch.nn as nn

B = 4096
SMALL = {"B": 16}
ATOL, RTOL = 1e-3, 1e-4


class Model(nn.Module):
    def forward(self, x, y):
        n = x.shape[1]
        cost = (x[:, :, None] - y[:, None, :]).abs()
        d = torch.full((x.shape[0], n + 1, n + 1), float("inf"), dtype=x.dtype, device=x.device)
        d[:, 0, 0] = 0
        for s in range(2, 2 * n + 1):
            i = torch.arange(max(1, s - n), min(n, s - 1) + 1, device=x.device)
            j = s - i
            best = torch.minimum(torch.minimum(d[:, i - 1, j], d[:, i, j - 1]), d[:, i - 1, j - 1])
            d[:, i, j] = cost[:, i - 1, j - 1] + best
        return d[:, n, n].clone()


def get_inputs():
    return [torch.randn(B, 128), torch.randn(B, 128)]


def get_init_inputs():
    return []
