"""The best score of a way through 32 hidden states, for sequences of emission scores."""

import torch
import torch.nn as nn

B = 2048
T = 256
SMALL = {"B": 8, "T": 8}
ATOL, RTOL = 1e-2, 1e-5


class Model(nn.Module):
    def forward(self, e, trans):
        s = e[:, 0]
        for t in range(1, e.shape[1]):
            s = (s[:, :, None] + trans).amax(1) + e[:, t]
        return s.amax(1)


def get_inputs():
    return [torch.randn(B, T, 32), torch.randn(32, 32)]


def get_init_inputs():
    return []
