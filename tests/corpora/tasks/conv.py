"""A convolution of one dimension."""

import torch

BATCH = 3
CHANNELS = 4
LENGTH = 40
WIDTH = 5


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(CHANNELS, 6, WIDTH)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return []
