"""A task whose forward fails."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x @ torch.zeros(3, 3)  # expect: TASK_INVALID


def get_inputs():
    return [torch.rand(1000)]


def get_init_inputs():
    return []
