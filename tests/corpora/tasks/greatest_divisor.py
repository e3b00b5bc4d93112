"""Greatest divisor."""

import torch
import torch.nn as nn

N = 3000


class Model(nn.Module):
    def forward(self, a, b):
        return torch.gcd(a, b)


def get_inputs():
    return [
        torch.randint(1, 100000, (N,), dtype=torch.int32),
        torch.randint(1, 100000, (N,), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
