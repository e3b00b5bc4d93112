"""A million non-negative numbers of 31 bits, sorted."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 8192}


class Model(nn.Module):
    def forward(self, x):
        return x.sort().values


def get_inputs():
    return [torch.randint(0, (1 << 31) - 1, (N,), dtype=torch.int32)]


def get_init_inputs():
    return []
