"""A 3 x 3 convolution with padding and bias."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, padding: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


BATCH = 8
IN_CHANNELS = 16
OUT_CHANNELS = 32
HEIGHT = 130
WIDTH = 126
# The general rule would leave these sizes nearly as they are.
SMALL = {"BATCH": 2, "HEIGHT": 34, "WIDTH": 30}


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, 3, 1]
