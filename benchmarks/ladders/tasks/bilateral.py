"""Bilateral filter of a grey image, 7 x 7, borders repeated."""

import torch
import torch.nn as nn
import torch.nn.functional as F

H = 1511
W = 2053
SMALL = {"H": 45, "W": 70}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x):
        h, w = x.shape
        p = F.pad(x[None, None], (3, 3, 3, 3), mode="replicate")[0, 0]
        total, weights = torch.zeros_like(x), torch.zeros_like(x)
        for dy in range(7):
            for dx in range(7):
                v = p[dy : dy + h, dx : dx + w]
                k = torch.exp(-((dy - 3) ** 2 + (dx - 3) ** 2) / 8.0 - (v - x) ** 2 * 8.0)
                total = total + k * v
                weights = weights + k
        return total / weights


def get_inputs():
    return [torch.rand(H, W)]


def get_init_inputs():
    return []
