"""The largest of each row, of rows too long for a machine without a device."""

import torch

ROWS = 600
COLUMNS = 9000


class Model(torch.nn.Module):
    def forward(self, x):
        return x.amax(dim=1)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
