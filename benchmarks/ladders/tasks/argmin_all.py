"""Place of the smallest of all numbers; of equals the first."""

import torch
import torch.nn as nn

N = 30000000
SMALL = {"N": 20011}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        low = x.amin()
        return (x == low).to(torch.uint8).argmax().to(torch.int32)[None]


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
