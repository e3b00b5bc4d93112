"""The selective scan of a state-space model with sixteen states a channel."""

import torch
import torch.nn as nn

B = 4
L = 1024
D = 1024
SMALL = {"B": 1, "L": 64, "D": 128}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, dt, a, b, c):
        h = torch.zeros(x.shape[0], x.shape[2], 16, dtype=x.dtype, device=x.device)
        y = []
        for t in range(x.shape[1]):
            step = dt[:, t, :, None]
            h = torch.exp(step * a) * h + step * x[:, t, :, None] * b[:, t, None]
            y.append((h * c[:, t, None]).sum(-1))
        return torch.stack(y, 1)


def get_inputs():
    return [
        torch.randn(B, L, D),
        torch.rand(B, L, D) * 0.1 + 0.001,
        -torch.rand(D, 16) * 16,
        torch.randn(B, L, 16),
        torch.randn(B, L, 16),
    ]


def get_init_inputs():
    return []
