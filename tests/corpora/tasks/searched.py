"""Searched."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, edges, x):
        return torch.searchsorted(edges, x)


def get_inputs():
    return [torch.sort(torch.rand(200)).values, torch.rand(700)]


def get_init_inputs():
    return []
