"""A softmax over the mean of everything: always one."""

import torch

B = 12
C = 8
L = 64


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x.mean(dim=(1, 2), keepdim=True), dim=1)


def get_inputs():
    return [torch.randn(B, C, L)]


def get_init_inputs():
    return []
