"""Sums of segments of 4 to 36 values, their starts given."""

import torch
import torch.nn as nn

SEGMENTS = 1 << 19
SMALL = {"SEGMENTS": 1 << 10}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x, start):
        total = torch.cat((x.new_zeros(1, dtype=torch.float64), x.double().cumsum(0)))
        return (total[start[1:].long()] - total[start[:-1].long()]).to(x.dtype)


def get_inputs():
    count = 4 + (torch.arange(SEGMENTS) * 29) % 33
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).to(torch.int32)
    return [torch.randn(int(start[-1])), start]


def get_init_inputs():
    return []
