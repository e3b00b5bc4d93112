"""Instance norm of half-precision planes, without weight or bias."""

import torch
import torch.nn as nn

PLANES = 2048
HW = 3136
SMALL = {"PLANES": 16, "HW": 3136}
ATOL, RTOL = 1e-2, 1e-2


class Model(nn.Module):
    def forward(self, x):
        f = x.float()
        return ((f - f.mean(1, True)) * torch.rsqrt(f.var(1, unbiased=False, keepdim=True) + 1e-5)).to(
            x.dtype
        )


def get_inputs():
    return [(torch.randn(PLANES, HW) * 2 + 0.5).half()]


def get_init_inputs():
    return []
