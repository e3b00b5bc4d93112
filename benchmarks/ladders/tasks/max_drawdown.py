"""Greatest fall of each price path from an earlier peak, in money."""

import torch
import torch.nn as nn

PATHS = 20000
T = 1000
SMALL = {"PATHS": 70, "T": 130}
ATOL, RTOL = 1e-4, 1e-5


class Model(nn.Module):
    def forward(self, price):
        return (price.cummax(1).values - price).amax(1)


def get_inputs():
    return [100 * torch.exp((torch.randn(PATHS, T) * 0.01).cumsum(1))]


def get_init_inputs():
    return []
