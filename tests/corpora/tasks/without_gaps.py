"""Nought in place of what is no number, then doubled."""

import torch

N = 1200


class Model(torch.nn.Module):
    def forward(self, x):
        return 2 * torch.nan_to_num(x)


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
