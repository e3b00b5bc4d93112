"""Colours through a table of 17 x 17 x 17 colours with trilinear interpolation."""

import torch
import torch.nn as nn

N = 1 << 21
SMALL = {"N": 1 << 12}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x, lut):
        f = x * 16
        i = f.floor().clamp(max=15)
        t, i = f - i, i.long()
        out = torch.zeros_like(x)
        for corner in range(8):
            d = [corner >> 2 & 1, corner >> 1 & 1, corner & 1]
            w = torch.ones_like(x[:, 0])
            for k in range(3):
                w = w * (t[:, k] if d[k] else 1 - t[:, k])
            out = out + w[:, None] * lut[i[:, 0] + d[0], i[:, 1] + d[1], i[:, 2] + d[2]]
        return out


def get_inputs():
    return [torch.rand(N, 3), torch.rand(17, 17, 17, 3)]


def get_init_inputs():
    return []
