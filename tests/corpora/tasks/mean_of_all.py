"""The mean of all elements, of which there are many."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.mean()


N = 2048
D = 1024


def get_inputs():
    return [torch.rand(N, D)]


def get_init_inputs():
    return []
