"""Layer normalisation over the last dimension, with weight and bias."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ln(x)


BATCH = 16
TOKENS = 515
FEATURES = 1000
# Many short rows keep thousands of blocks busy without showing more than a few do.
SMALL = {"BATCH": 3, "TOKENS": 35, "FEATURES": 232}


def get_inputs():
    return [torch.randn(BATCH, TOKENS, FEATURES)]


def get_init_inputs():
    return [FEATURES]
