"""Layer norm without weights, then each sample's own scale and shift: the modulation of a diffusion transformer."""

import torch
import torch.nn as nn

B = 16
T = 1024
D = 1152
SMALL = {"B": 2, "T": 5, "D": 160}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x, scale, shift):
        h = torch.nn.functional.layer_norm(x, (x.shape[-1],), eps=1e-6)
        return h * (1 + scale[:, None]) + shift[:, None]


def get_inputs():
    return [torch.randn(B, T, D), torch.randn(B, D), torch.randn(B, D)]


def get_init_inputs():
    return []
