"""An embedding."""

import torch

V = 100
D = 32
T = 60


class Model(torch.nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.e = torch.nn.Embedding(v, d)

    def forward(self, idx):
        return self.e(idx)


def get_inputs():
    return [torch.randint(0, V, (T,))]


def get_init_inputs():
    return [V, D]
