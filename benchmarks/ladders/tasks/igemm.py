"""Product of int8 matrices, the second one transposed, into int32."""

import torch
import torch.nn as nn

M = 1024
N = 1024
K = 2048
SMALL = {"M": 64, "N": 64, "K": 128}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, a, b):
        return (a.double() @ b.double().t()).to(torch.int32)


def get_inputs():
    return [
        torch.randint(-128, 128, (M, K), dtype=torch.int8),
        torch.randint(-128, 128, (N, K), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
