"""The row sums of a product of matrices."""

import torch

M = 16
K = 40
N = 24


class Model(torch.nn.Module):
    def forward(self, a, b):
        return (a @ b).sum(dim=1)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]


def get_init_inputs():
    return []
