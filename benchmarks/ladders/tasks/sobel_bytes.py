"""Sobel magnitude |gx| + |gy| of a grey picture of bytes, at most 255; zero along the border."""

import torch
import torch.nn as nn

H = 4096
W = 4096
SMALL = {"H": 64, "W": 512}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        a = x.int()
        v = a[:-2] + 2 * a[1:-1] + a[2:]
        h = a[:, :-2] + 2 * a[:, 1:-1] + a[:, 2:]
        g = (v[:, 2:] - v[:, :-2]).abs() + (h[2:] - h[:-2]).abs()
        return torch.nn.functional.pad(g.clamp(max=255), (1, 1, 1, 1)).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (H, W)).to(torch.uint8)]


def get_init_inputs():
    return []
