"""Sum of integers, and their sum weighted by the distance from the end, modulo two to the 64."""

import torch
import torch.nn as nn

N = 16777216
SMALL = {"N": 8192}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        v = x.long()
        return torch.stack((v.sum(), (v * (v.numel() - torch.arange(v.numel(), device=x.device))).sum()))


def get_inputs():
    return [torch.randint(0, 256, (N,)).int()]


def get_init_inputs():
    return []
