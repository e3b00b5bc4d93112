"""A copy: what the kernels beside it do on the way to it is what bounds them."""

import torch
import torch.nn as nn

N = 8388608
SMALL = {"N": 16384}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        return x.clone()


def get_inputs():
    return [torch.rand(N)]


def get_init_inputs():
    return []
