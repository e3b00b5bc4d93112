"""Joint histogram of two byte images, 64 levels each: what the mutual information of a registration starts with."""

import torch
import torch.nn as nn

N = 12000000
SMALL = {"N": 20000}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, a, b):
        pair = (a.long() >> 2) * 64 + (b.long() >> 2)
        return torch.bincount(pair, minlength=4096).view(64, 64).to(torch.int32)


def get_inputs():
    a = torch.randn(N) * 30 + 128
    b = a + torch.randn(N) * 8
    return [a.clamp(0, 255).to(torch.uint8), b.clamp(0, 255).to(torch.uint8)]


def get_init_inputs():
    return []
