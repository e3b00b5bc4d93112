"""Rows added up by segments that come one after the other."""

import torch
import torch.nn as nn

requires = {"index": "sorted(index) and 0 <= index < 16"}


class Model(nn.Module):
    def forward(self, x, index):
        return torch.zeros(16, 24).index_add(0, index, x)


def get_inputs():
    return [torch.randn(200, 24), torch.sort(torch.randint(0, 16, (200,)))[0]]


def get_init_inputs():
    return []
