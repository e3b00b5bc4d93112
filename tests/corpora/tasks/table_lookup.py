"""Values between 0 and 1 looked up in a table of 65 numbers, with linear interpolation."""

import torch
import torch.nn as nn

N = 65536
SMALL = {"N": 1024}


class Model(nn.Module):
    def forward(self, x, table):
        place = (x * 64).floor()
        share, place = x * 64 - place, place.long()
        return table[place] * (1 - share) + table[(place + 1).clamp(max=64)] * share


def get_inputs():
    return [torch.rand(N), torch.randn(65)]


def get_init_inputs():
    return []
