"""Tokens put in the order of their best expert out of 32, in their own order within one."""

import torch
import torch.nn as nn

T = 16384
D = 1024
SMALL = {"T": 512, "D": 256}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, logits, x):
        return x[torch.argsort(logits.argmax(1), stable=True)]


def get_inputs():
    return [torch.randn(T, 32) - 0.04 * torch.arange(32), torch.randn(T, D).half()]


def get_init_inputs():
    return []
