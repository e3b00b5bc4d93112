"""Running sums along rows that start anew wherever a flag is set."""

import torch
import torch.nn as nn

R = 2048
D = 4096
SMALL = {"R": 8, "D": 4096}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, x, flag):
        total = x.double().cumsum(1)
        at = torch.arange(x.shape[1], device=x.device).expand_as(flag)
        last = torch.where(flag != 0, at, torch.zeros_like(at)).cummax(1).values
        return (total - total.gather(1, last) + x.double().gather(1, last)).to(x.dtype)


def get_inputs():
    return [torch.randn(R, D), (torch.rand(R, D) < 1 / 24).to(torch.uint8)]


def get_init_inputs():
    return []
