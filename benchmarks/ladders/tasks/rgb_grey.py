"""Grey levels of interleaved 8-bit RGB pixels, by integers."""

import torch
import torch.nn as nn

P = 6144 * 6144
SMALL = {"P": 1 << 14}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return ((77 * x[:, 0].int() + 150 * x[:, 1].int() + 29 * x[:, 2].int() + 128) >> 8).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (P, 3), dtype=torch.uint8)]


def get_init_inputs():
    return []
