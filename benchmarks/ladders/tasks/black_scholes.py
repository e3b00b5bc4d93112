"""Prices of calls and puts by Black and Scholes."""

import torch
import torch.nn as nn

N = 16777216
SMALL = {"N": 2048}
ATOL, RTOL = 2e-3, 1e-3


class Model(nn.Module):
    def forward(self, price, strike, years):
        root = 0.3 * years.sqrt()
        d1 = ((price / strike).log() + (0.02 + 0.045) * years) / root
        n1, n2 = 0.5 * torch.erfc(-d1 / 2**0.5), 0.5 * torch.erfc(-(d1 - root) / 2**0.5)
        later = strike * torch.exp(-0.02 * years)
        call = price * n1 - later * n2
        return torch.stack((call, call + later - price))


def get_inputs():
    return [5 + 25 * torch.rand(N), 1 + 99 * torch.rand(N), 0.25 + 9.75 * torch.rand(N)]


def get_init_inputs():
    return []
