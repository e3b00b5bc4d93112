"""Root-mean-square normalisation with a weight, in bfloat16, as language models use it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features, dtype=torch.bfloat16))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight


TOKENS = 4096
FEATURES = 4000


def get_inputs():
    return [torch.randn(TOKENS, FEATURES).bfloat16()]


def get_init_inputs():
    return [FEATURES, 1e-5]
