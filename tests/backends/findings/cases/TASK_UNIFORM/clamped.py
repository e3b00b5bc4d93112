"""Inside of it, for half of the inputs."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, 0, 1)


def get_inputs():
    return [torch.randn(512)]


def get_init_inputs():
    return []
