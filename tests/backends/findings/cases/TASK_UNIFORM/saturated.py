"""Far outside of where the function changes."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):  # expect: TASK_UNIFORM
        return torch.clamp(x * 1000 - 3, 0, 1)


def get_inputs():
    return [torch.rand(8192)]


def get_init_inputs():
    return []
