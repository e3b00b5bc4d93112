"""Product of complex matrices in single precision, real and imaginary parts side by side."""

import torch
import torch.nn as nn

M = 1024
N = 1024
K = 512
SMALL = {"M": 64, "N": 64, "K": 32}
ATOL, RTOL = 3e-3, 1e-4


class Model(nn.Module):
    def forward(self, a, b):
        return torch.view_as_real(torch.view_as_complex(a) @ torch.view_as_complex(b))


def get_inputs():
    return [torch.randn(M, K, 2), torch.randn(K, N, 2)]


def get_init_inputs():
    return []
