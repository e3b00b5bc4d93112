"""Two sorted vectors merged into one."""

import torch
import torch.nn as nn

N = 1 << 22
SMALL = {"N": 4096}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, a, b):
        return torch.cat([a, b]).sort().values


def get_inputs():
    return [torch.randn(N).sort().values, (torch.randn(N) + 0.5).sort().values]


def get_init_inputs():
    return []
