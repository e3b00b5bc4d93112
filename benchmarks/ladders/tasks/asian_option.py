"""Payoffs of Asian calls over 64 steps, normals by Box and Muller from the words of Philox 4x32-10: one path a start price."""

import math

import torch
import torch.nn as nn

N = 1 << 18
SMALL = {"N": 1 << 10}
ATOL, RTOL = 2e-2, 1e-3


class Model(nn.Module):
    def forward(self, start):
        low, n = 0xFFFFFFFF, start.numel()
        c = [
            torch.arange(16, device=start.device)[:, None].expand(16, n),
            torch.arange(n, device=start.device).expand(16, n),
        ]
        c += [torch.zeros_like(c[0]), torch.zeros_like(c[0])]
        k0, k1 = 20240607, 0
        for _ in range(10):
            p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [(p1 >> 32) & low ^ c[1] ^ k0, p1 & low, (p0 >> 32) & low ^ c[3] ^ k1, p0 & low]
            k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
        u = [(v.double() + 0.5) / 2.0**32 for v in c]
        z = []
        for i in (0, 2):
            r = torch.sqrt(-2 * torch.log(u[i]))
            z += [r * torch.cos(2 * math.pi * u[i + 1]), r * torch.sin(2 * math.pi * u[i + 1])]
        steps = torch.stack(z, 1).flatten(0, 1) * 0.025 + 0.0002
        mean = torch.exp(torch.cumsum(steps, 0)).mean(0) * start
        return torch.clamp(mean - 100, min=0).to(start.dtype)


def get_inputs():
    return [90 + 20 * torch.rand(N)]


def get_init_inputs():
    return []
