"""Rows to 8-bit floats (e4m3) with a power of two for every 32 values: codes of the row, then its exponents plus 127."""

import torch
import torch.nn as nn

R = 4096
D = 4096
SMALL = {"R": 16, "D": 4096}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        g = x.float().view(x.shape[0], -1, 32)
        mantissa, exponent = torch.frexp(g.abs().amax(-1))
        e = exponent - 9 + (mantissa > 0.875)
        codes = torch.ldexp(g, -e[..., None]).to(torch.float8_e4m3fn).view(torch.uint8)
        return torch.cat([codes.flatten(1), (e + 127).to(torch.uint8)], 1)


def get_inputs():
    return [(torch.randn(R, D) * 3).bfloat16()]


def get_init_inputs():
    return []
