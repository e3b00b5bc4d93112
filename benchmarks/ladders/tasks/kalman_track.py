"""Kalman filters of points that move at constant velocity, every one with measurements of its own noise: the last state."""

import torch
import torch.nn as nn

B = 65536
T = 32
SMALL = {"B": 256, "T": 8}
ATOL, RTOL = 2e-3, 2e-3


class Model(nn.Module):
    def forward(self, z, noise):
        f = torch.eye(4, dtype=z.dtype, device=z.device)
        f[0, 2] = f[1, 3] = 0.1
        eye = torch.eye(4, dtype=z.dtype, device=z.device)
        x = z.new_zeros(z.shape[0], 4, 1)
        p = eye.expand(z.shape[0], 4, 4)
        for t in range(z.shape[1]):
            x = f @ x
            p = f @ p @ f.t() + 0.01 * eye
            s = p[:, :2, :2] + noise[:, None, None] * eye[:2, :2]
            det = s[:, 0, 0] * s[:, 1, 1] - s[:, 0, 1] * s[:, 1, 0]
            turned = torch.stack((s[:, 1, 1], -s[:, 0, 1], -s[:, 1, 0], s[:, 0, 0]), 1).view(-1, 2, 2)
            gain = p[:, :, :2] @ (turned / det[:, None, None])
            x = x + gain @ (z[:, t, :, None] - x[:, :2])
            p = p - gain @ p[:, :2]
        return x[:, :, 0].contiguous()


def get_inputs():
    return [torch.randn(B, T, 2).cumsum(1), torch.rand(B) + 0.2]


def get_init_inputs():
    return []
