"""GELU of numbers of eight bits."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.gelu(x.float() / 32.0)


N = 4096


def get_inputs():
    return [torch.randint(-128, 128, (N,), dtype=torch.int8)]


def get_init_inputs():
    return []
