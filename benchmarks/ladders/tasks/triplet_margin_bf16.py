"""Triplet margin loss of each row of bfloat16 embeddings, as PyTorch's distance has it (1e-6 added to each difference)."""

import torch
import torch.nn as nn

R = 16384
D = 768
SMALL = {"R": 37, "D": 96}
ATOL, RTOL = 1e-3, 1e-3


class Model(nn.Module):
    def forward(self, anchor, positive, negative):
        a = anchor.float()
        near = (a - positive.float() + 1e-6).norm(dim=1)
        far = (a - negative.float() + 1e-6).norm(dim=1)
        return torch.relu(near - far + 1.0)


def get_inputs():
    return [torch.randn(R, D).bfloat16() for _ in range(3)]


def get_init_inputs():
    return []
