"""Product of matrices of 8-bit floats (e4m3, given as bytes), the second one transposed, with a scale, into floats."""

import torch
import torch.nn as nn

M = 1024
N = 1024
K = 2048
SMALL = {"M": 64, "N": 64, "K": 128}
ATOL, RTOL = 3e-2, 1e-2


class Model(nn.Module):
    def forward(self, a, b):
        fa, fb = (t.view(torch.float8_e4m3fn).float() for t in (a, b))
        return fa @ fb.T * 0.03125


def get_inputs():
    return [torch.randn(n, K).to(torch.float8_e4m3fn).view(torch.uint8) for n in (M, N)]


def get_init_inputs():
    return []
