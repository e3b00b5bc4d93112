"""Points within a quarter of a circle: 256 draws of a xorshift generator a seed, counted over every 1024 seeds."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 1 << 13}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, seed):
        s = seed.long()
        hits = torch.zeros_like(s)
        for _ in range(256):
            s = s ^ ((s << 13) & 0xFFFFFFFF)
            s = s ^ (s >> 17)
            s = s ^ ((s << 5) & 0xFFFFFFFF)
            x, y = s & 0x7FFF, (s >> 16) & 0x7FFF
            hits += (x * x + y * y < 1 << 30).long()
        return hits.view(-1, 1024).sum(1).int()


def get_inputs():
    return [torch.randint(1, 2**31 - 1, (N,), dtype=torch.int32)]


def get_init_inputs():
    return []
