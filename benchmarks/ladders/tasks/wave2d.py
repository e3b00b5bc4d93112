"""One step of the wave equation: a star of nine points of one field, less the field before."""

import torch
import torch.nn as nn

H = 4096
W = 4096
SMALL = {"H": 64, "W": 128}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, u, before):
        c = nn.functional.pad(u, (2, 2, 2, 2))
        h, w = u.shape

        def at(y, x):
            return c[2 + y : 2 + y + h, 2 + x : 2 + x + w]

        near = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)
        far = at(-2, 0) + at(2, 0) + at(0, -2) + at(0, 2)
        return 2.0 * u - before + 0.1 * (4.0 / 3.0 * near - far / 12.0 - 5.0 * u)


def get_inputs():
    return [torch.randn(H, W), torch.randn(H, W)]


def get_init_inputs():
    return []
