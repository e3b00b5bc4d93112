"""Every tensor of a list scaled and shifted, by attributes that are a text and a list."""

import torch

LENGTH = 40


class Model(torch.nn.Module):
    def __init__(self, sign, shifts):
        super().__init__()
        self.sign = -1 if sign == "negative" else 1
        self.shifts = shifts

    def forward(self, x, scale):
        return [self.sign * scale * tensor + shift for tensor, shift in zip(x, self.shifts, strict=True)]


def get_inputs():
    return [[torch.randn(LENGTH), torch.randn(3, LENGTH), torch.randn(7)], torch.rand(1)]


def get_init_inputs():
    return ["negative", (2, -5, 9)]
