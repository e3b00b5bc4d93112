"""Scatter counts."""

import torch
import torch.nn as nn

N = 3000
requires = {"labels": "0 <= labels < 64"}


class Model(nn.Module):
    def forward(self, labels):
        return torch.bincount(labels, minlength=64).to(torch.int32)


def get_inputs():
    return [torch.randint(0, 64, (N,), dtype=torch.int32)]


def get_init_inputs():
    return []
