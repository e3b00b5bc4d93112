"""Masked scores."""

import torch
import torch.nn as nn

L = 48


class Model(nn.Module):
    def forward(self, s, mask):
        return torch.softmax(s.masked_fill(~mask, float("-inf")), dim=1)


def get_inputs():
    return [torch.randn(L, L), torch.ones(L, L).tril().bool()]


def get_init_inputs():
    return []
