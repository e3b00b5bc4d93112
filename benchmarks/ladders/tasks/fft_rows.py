"""Fourier transform of rows of 1024 complex numbers."""

import torch
import torch.nn as nn

ROWS = 16384
SMALL = {"ROWS": 8}
ATOL, RTOL = 2e-2, 1e-3


class Model(nn.Module):
    def forward(self, x):
        return torch.view_as_real(torch.fft.fft(torch.view_as_complex(x)))


def get_inputs():
    return [torch.randn(ROWS, 1024, 2)]


def get_init_inputs():
    return []
