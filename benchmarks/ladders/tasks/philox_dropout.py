"""Dropout by half, with the words of Philox 4x32-10: element i takes word i % 4 of counter i / 4."""

import torch
import torch.nn as nn

N = 33554432
SMALL = {"N": 4096}
ATOL, RTOL = 0.0, 0.0
KEY = 20240607


class Model(nn.Module):
    def forward(self, x):
        low = 0xFFFFFFFF
        c = [torch.arange(x.numel() // 4, device=x.device)] + [
            torch.zeros(x.numel() // 4, dtype=torch.int64, device=x.device) for _ in range(3)
        ]
        k0, k1 = KEY, 0
        for _ in range(10):
            p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [(p1 >> 32) & low ^ c[1] ^ k0, p1 & low, (p0 >> 32) & low ^ c[3] ^ k1, p0 & low]
            k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
        keep = torch.stack(c, -1).view(-1) >= 1 << 31
        return torch.where(keep, 2 * x, torch.zeros_like(x))


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
