"""Products of many small matrices, 32 x 32."""

import torch
import torch.nn as nn

B = 16384
SMALL = {"B": 16}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(B, 32, 32), torch.randn(B, 32, 32)]


def get_init_inputs():
    return []
