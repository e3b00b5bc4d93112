"""Row sums."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=1)


N = 64
D = 256


def get_inputs():
    return [torch.rand(N, D)]


def get_init_inputs():
    return []
