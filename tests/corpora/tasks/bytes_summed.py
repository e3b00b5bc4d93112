"""Sums of bytes with a sign, as torch adds them: in 64 bits."""

import torch

requires = {"x": "-128 <= x < 128"}


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(dim=1)


def get_inputs():
    return [torch.randint(-30, 30, (12, 900), dtype=torch.int8)]


def get_init_inputs():
    return []
