"""How often each of the values 0 to 15 occurs."""

import torch

N = 2000

requires = {"x": "0 <= x < 16"}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.bincount(x, minlength=16).to(torch.int32)


def get_inputs():
    return [torch.randint(0, 16, (N,), dtype=torch.int32)]


def get_init_inputs():
    return []
