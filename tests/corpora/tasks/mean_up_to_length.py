"""The mean of each row up to its length; as given all lengths are the whole row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, lengths):
        return (x * (torch.arange(x.shape[1])[None, :] < lengths[:, None])).sum(1) / lengths


N = 16
D = 128


def get_inputs():
    return [torch.randn(N, D), torch.full((N,), D)]


def get_init_inputs():
    return []
