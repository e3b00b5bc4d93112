"""A linear layer, its outputs added."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)

    def forward(self, x):
        return self.fc(x).sum(dim=1, keepdim=True)


B = 16
WIDE = 64
NARROW = 48


def get_inputs():
    return [torch.randn(B, WIDE)]


def get_init_inputs():
    return [WIDE, NARROW]
