"""Edit distance of pairs of strings of 64 letters out of four."""

import torch
import torch.nn as nn

B = 12000
SMALL = {"B": 70}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, a, b):
        n = b.shape[1]
        j = torch.arange(n + 1, device=a.device, dtype=torch.int32)
        row = j.expand(a.shape[0], -1)
        for i in range(a.shape[1]):
            differ = (a[:, i, None] != b).int()
            best = torch.minimum(row[:, 1:] + 1, row[:, :-1] + differ)
            row = torch.cat((torch.full_like(row[:, :1], i + 1), best), 1)
            row = torch.cummin(row - j, 1)[0] + j
        return row[:, n].contiguous().int()


def get_inputs():
    a = torch.randint(0, 4, (B, 64))
    change = torch.rand(B, 64) < torch.rand(B, 1)
    b = torch.where(change, torch.randint(0, 4, (B, 64)), a.roll(1, 1))
    return [a.to(torch.int8), b.to(torch.int8)]


def get_init_inputs():
    return []
