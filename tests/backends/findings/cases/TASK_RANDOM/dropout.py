"""The reference draws in forward."""  # expect: TASK_RANDOM

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.dropout(x * 2, 0.5, training=True)


def get_inputs():
    return [torch.rand(1000)]


def get_init_inputs():
    return []
