"""No larger than what others tolerate."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):  # expect: TASK_SMALL
        return x * 1e-6


def get_inputs():
    return [torch.rand(512)]


def get_init_inputs():
    return []
