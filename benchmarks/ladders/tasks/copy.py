"""Copy of a float vector."""

import torch
import torch.nn as nn

N = 1 << 26
SMALL = {"N": 1 << 14}
ATOL, RTOL = 0.0, 0.0
REF = "float32"


class Model(nn.Module):
    def forward(self, x):
        return x.clone()


def get_inputs():
    return [torch.rand(N)]


def get_init_inputs():
    return []
