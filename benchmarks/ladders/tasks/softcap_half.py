"""Soft cap of logits, 30 tanh(x / 30), in halves."""

import torch
import torch.nn as nn

N = 33554432
SMALL = {"N": 8192}
ATOL, RTOL = 5e-2, 2e-3


class Model(nn.Module):
    def forward(self, x):
        return 30 * torch.tanh(x / 30)


def get_inputs():
    return [(torch.randn(N) * 40).half()]


def get_init_inputs():
    return []
