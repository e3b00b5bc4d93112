"""Dot products of every pair of the 32 feature vectors of a sample, each pair once, in halves."""

import torch
import torch.nn as nn

B = 4096
SMALL = {"B": 8}
ATOL, RTOL = 3e-2, 2e-3


class Model(nn.Module):
    def forward(self, x):
        z = x.float() @ x.float().transpose(1, 2)
        i, j = torch.tril_indices(32, 32, -1, device=x.device)
        return z[:, i, j].to(x.dtype)


def get_inputs():
    return [torch.randn(B, 32, 128).half()]


def get_init_inputs():
    return []
