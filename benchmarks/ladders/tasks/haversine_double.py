"""Great-circle distance of pairs of points (latitude, longitude in radians), in kilometres and double precision."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 1 << 10}
ATOL, RTOL = 1e-5, 1e-9


class Model(nn.Module):
    def forward(self, a, b):
        half = (b - a) / 2
        h = half[:, 0].sin() ** 2 + a[:, 0].cos() * b[:, 0].cos() * half[:, 1].sin() ** 2
        return 12742.0 * h.clamp(max=1).sqrt().asin()


def get_inputs():
    scale = torch.tensor([3.0, 6.0], dtype=torch.float64)
    return [
        (torch.rand(N, 2, dtype=torch.float64) - 0.5) * scale,
        (torch.rand(N, 2, dtype=torch.float64) - 0.5) * scale,
    ]


def get_init_inputs():
    return []
